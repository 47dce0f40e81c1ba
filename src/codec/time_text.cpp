#include <waybill/detail/time_text.hpp>

#include <chrono>

namespace waybill::detail {
namespace {

char* put_digits(char* at, unsigned number, int digits) noexcept {
    for (int i = digits - 1; i >= 0; --i, number /= 10)
        at[i] = static_cast<char>('0' + number % 10);
    return at + digits;
}

char* put_fraction(char* at, std::uint32_t nanoseconds) noexcept {
    if (nanoseconds == 0) return at;
    *at++ = '.';
    if (nanoseconds % 1'000'000 == 0) return put_digits(at, nanoseconds / 1'000'000, 3);
    if (nanoseconds % 1'000 == 0) return put_digits(at, nanoseconds / 1'000, 6);
    return put_digits(at, nanoseconds, 9);
}

/// Takes what a date-time is made of from the front of a text.
class time_reader {
public:
    explicit time_reader(std::string_view text) noexcept : rest_(text) {}

    [[nodiscard]] bool is_at_end() const noexcept { return good_ && rest_.empty(); }

    unsigned number(std::size_t digits, unsigned least, unsigned most) noexcept {
        unsigned value = 0;
        for (std::size_t i = 0; i < digits; ++i) value = value * 10 + digit();
        good_ = good_ && value >= least && value <= most;
        return value;
    }

    /// One of the letters.
    char one_of(std::string_view letters) noexcept {
        if (rest_.empty() || letters.find(rest_.front()) == letters.npos) {
            good_ = false;
            return 0;
        }
        const char letter = rest_.front();
        rest_.remove_prefix(1);
        return letter;
    }

    std::uint32_t fraction() noexcept {
        if (!rest_.starts_with('.')) return 0;
        rest_.remove_prefix(1);
        std::uint32_t nanoseconds = digit() * 100'000'000;
        for (std::uint32_t unit = 10'000'000; has_digit(); unit /= 10) {
            const unsigned one = digit();
            nanoseconds += one * unit;
            if (unit == 0 && one != 0) good_ = false;
        }
        return nanoseconds;
    }

    /// Seconds that the local time is ahead of UTC.
    std::int64_t offset() noexcept {
        const char sign = one_of("Zz+-");
        if (sign != '+' && sign != '-') return 0;
        const std::int64_t hours = number(2, 0, 23);
        one_of(":");
        const std::int64_t seconds = hours * 3600 + std::int64_t{number(2, 0, 59)} * 60;
        return sign == '+' ? seconds : -seconds;
    }

private:
    [[nodiscard]] bool has_digit() const noexcept {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }
    unsigned digit() noexcept {
        if (!has_digit()) {
            good_ = false;
            return 0;
        }
        const auto value = static_cast<unsigned>(rest_.front() - '0');
        rest_.remove_prefix(1);
        return value;
    }

    std::string_view rest_;
    bool good_ = true;
};

}  // namespace

std::string_view write_time(wall_time time, std::array<char, 32>& letters) noexcept {
    using namespace std::chrono;
    const sys_seconds point{seconds{time.seconds}};
    const auto day = floor<days>(point);
    const year_month_day date{day};
    const hh_mm_ss clock{point - day};
    char* at = letters.data();
    at = put_digits(at, static_cast<unsigned>(static_cast<int>(date.year())), 4);
    *at++ = '-';
    at = put_digits(at, static_cast<unsigned>(date.month()), 2);
    *at++ = '-';
    at = put_digits(at, static_cast<unsigned>(date.day()), 2);
    *at++ = 'T';
    at = put_digits(at, static_cast<unsigned>(clock.hours().count()), 2);
    *at++ = ':';
    at = put_digits(at, static_cast<unsigned>(clock.minutes().count()), 2);
    *at++ = ':';
    at = put_digits(at, static_cast<unsigned>(clock.seconds().count()), 2);
    at = put_fraction(at, time.nanoseconds);
    *at++ = 'Z';
    return {letters.data(), static_cast<std::size_t>(at - letters.data())};
}

bool parse_time(std::string_view text, wall_time& time) noexcept {
    using namespace std::chrono;
    time_reader from{text};
    const unsigned year_number = from.number(4, 0, 9999);
    from.one_of("-");
    const unsigned month_number = from.number(2, 1, 12);
    from.one_of("-");
    const unsigned day_number = from.number(2, 1, 31);
    from.one_of("Tt");
    const unsigned hour = from.number(2, 0, 23);
    from.one_of(":");
    const unsigned minute = from.number(2, 0, 59);
    from.one_of(":");
    const unsigned second = from.number(2, 0, 60);
    time.nanoseconds = from.fraction();
    const std::int64_t ahead = from.offset();
    if (!from.is_at_end()) return false;
    const year_month_day date{year{static_cast<int>(year_number)}, month{month_number},
                              day{day_number}};
    if (!date.ok()) return false;
    const sys_seconds point = sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
    time.seconds = point.time_since_epoch().count() - ahead;
    return time.seconds >= first_second && time.seconds <= last_second;
}

}  // namespace waybill::detail
