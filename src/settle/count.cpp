#include "settle/count.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace waybill::settle {
namespace {

constexpr bool is_digit(char letter) noexcept {
    return static_cast<unsigned char>(letter - '0') <= 9;
}

/// The number in a text of decimal digits only; one too long to read is the largest there is.
[[gnu::always_inline]] inline std::optional<std::uint64_t> number_in(
    std::string_view digits) noexcept {
    constexpr std::size_t always_fits = 19;
    if (digits.empty()) return std::nullopt;
    std::uint64_t number = 0;
    for (const char letter : digits) {
        if (!is_digit(letter)) return std::nullopt;
        number = number * 10 + static_cast<unsigned char>(letter - '0');
    }
    if (digits.size() <= always_fits) [[likely]]
        return number;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return read.ec == std::errc{} ? number : UINT64_MAX;
}

/// One header where it lies.
class packed_entry {
public:
    explicit packed_entry(const std::byte* at) noexcept
        : at_{at}, prefix_{detail::read_prefix(at)} {}

    [[nodiscard]] known_header known() const noexcept {
        return static_cast<known_header>(prefix_.known);
    }
    [[nodiscard]] std::size_t size() const noexcept { return detail::packed_size(prefix_); }
    [[nodiscard]] std::string_view name() const noexcept {
        return {reinterpret_cast<const char*>(at_ + sizeof prefix_), prefix_.name_size};
    }
    [[nodiscard]] std::optional<std::string_view> text() const noexcept {
        if (prefix_.type != static_cast<std::uint8_t>(header_kind::text)) return std::nullopt;
        return std::string_view{name().data() + prefix_.name_size, prefix_.value_size};
    }
    /// Decimal digits only, or an integer not below 0. Nothing: it is malformed.
    [[nodiscard]] std::optional<std::uint64_t> number() const noexcept {
        if (const auto digits = text()) [[likely]]
            return number_in(*digits);
        return detail::read_header(at_).value.unsigned_integer();
    }
    [[nodiscard]] std::int64_t time() const noexcept {
        return static_cast<std::int64_t>(std::min<std::uint64_t>(number().value_or(0), INT64_MAX));
    }

private:
    const std::byte* at_;
    detail::packed_header prefix_;
};

bool is_ours(std::string_view retry_source, const counting& by) {
    return retry_source == by.reader || retry_source == "*" ||
           std::find(by.formerly.begin(), by.formerly.end(), retry_source) != by.formerly.end();
}

/// The headers that matter for counting, found in one walk.
struct found_headers {
    bool has_count = false;
    std::optional<std::uint64_t> count;  ///< nothing: malformed
    bool has_retry_source = false;
    std::optional<std::string_view> retry_source;  ///< nothing: not a text
    bool has_record = false;

    void take_count(const packed_entry& entry) noexcept {
        if (std::exchange(has_count, true)) return;
        count = entry.number();
    }
    void take_retry_source(const packed_entry& entry) noexcept {
        if (std::exchange(has_retry_source, true)) return;
        retry_source = entry.text();
    }
};

found_headers walk(std::span<const std::byte> packed, const counting& by, history& result) {
    found_headers found;
    auto highest = known_header::none;
    const auto* const end = packed.data() + packed.size();
    for (const auto* at = packed.data(); at != end;) {
        const packed_entry entry{at};
        at += entry.size();
        highest = std::max(highest, entry.known());
        switch (entry.known()) {
            case known_header::none:
                if (!by.count_header.empty() && detail::same_name(entry.name(), by.count_header)) {
                    found.take_count(entry);
                }
                break;
            case known_header::retry_count:
                if (by.count_header.empty()) found.take_count(entry);
                break;
            case known_header::retry_source:
                found.take_retry_source(entry);
                break;
            case known_header::due:
                result.due_ms = entry.time();
                break;
            case known_header::expires_at:
                result.expires_at_ms = entry.time();
                break;
            case known_header::id:
                result.root_id = entry.text().value_or("");
                break;
            case known_header::dead_first_at:
                result.first_death_at = entry.text().value_or("");
                break;
            case known_header::dead_count:
                result.deaths = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(entry.number().value_or(0), UINT32_MAX - 1));
                break;
            default:
                break;
        }
    }
    // A small budget may have left out any field of the record.
    found.has_record = highest >= known_header::dead_reason;
    return found;
}

std::uint32_t bounded(std::uint64_t carried, std::uint32_t cap) {
    const auto most = cap != 0 ? cap : UINT32_MAX - 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(carried, most));
}

}  // namespace

history read_history(std::span<const std::byte> packed_headers, const counting& by) {
    history result;
    if (packed_headers.empty()) return result;
    const auto found = walk(packed_headers, by, result);
    if (found.has_record) result.deaths = std::max(result.deaths, 1U);
    if (found.has_count && !found.count) result.note = history_note::malformed_count;
    const auto carried = found.count.value_or(0);

    if (found.has_retry_source) {
        result.own = found.retry_source && is_ours(*found.retry_source, by);
        result.foreign = !result.own;
        result.carried = bounded(carried, by.cap);
        // The one attempt that is left is within the cap.
        if (result.foreign && by.cap != 0) result.carried = std::min(result.carried, by.cap - 1);
        return result;
    }
    if (found.has_record) return result;
    if (by.cap != 0 && carried >= by.cap) {
        result.note = history_note::others_history;
        return result;
    }
    result.carried = bounded(carried, by.cap);
    return result;
}

}  // namespace waybill::settle
