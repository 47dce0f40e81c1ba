// The number grammar of RFC 8259, section 6, and the values that its spellings stand for.
#include "samples.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

using namespace samples;

namespace json_numbers {

template <class T>
struct holder {
    T value{};
};

/// Zero has a sign.
template <class T>
bool same(T one, T other) {
    if constexpr (std::is_floating_point_v<T>)
        return one == other && std::signbit(one) == std::signbit(other);
    else
        return one == other;
}

/// The number as the root, as an element and as the member of an object.
template <class T>
std::expected<T, waybill::error> everywhere(std::string_view text) {
    const auto root = from_json<T>(text);
    const auto member = from_json<holder<T>>("{\"value\":" + std::string{text} + "}");
    CHECK(root.has_value() == member.has_value());
    if (root && member) CHECK(same(*root, member->value));
    const auto element = from_json<std::vector<T>>("[" + std::string{text} + "]");
    const auto spaced = from_json<std::vector<T>>("[ " + std::string{text} + " , 1 ]");
    CHECK(root.has_value() == element.has_value());
    CHECK(root.has_value() == spaced.has_value());
    if (root && element && spaced) {
        CHECK(same(*root, element->front()));
        CHECK(same(*root, spaced->front()));
    }
    return root;
}

/// The nearest number of the type, ties to even.
template <class Real>
Real oracle(std::string_view text) {
    Real value{};
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    if (done.ec == std::errc::result_out_of_range) {
        // from_chars does not say at which end. What is small here starts with "0." or ends so.
        const bool small = text.find("e-") != std::string_view::npos ||
                           (text.find("0.0") <= 1 && text.find('e') == std::string_view::npos);
        const Real outside = small ? Real{0} : std::numeric_limits<Real>::infinity();
        return text.front() == '-' ? -outside : outside;
    }
    REQUIRE(done.ec == std::errc{});
    REQUIRE(done.ptr == text.data() + text.size());
    return value;
}

void check_double(std::string_view text) {
    CAPTURE(text);
    const double expected = oracle<double>(text);
    const auto read = everywhere<double>(text);
    CHECK(read.has_value() == std::isfinite(expected));
    if (read) CHECK(std::bit_cast<std::uint64_t>(*read) == std::bit_cast<std::uint64_t>(expected));
}

/// The right value, or an error where the reader's arithmetic ends.
void check_right_or_refused(std::string_view text) {
    CAPTURE(text);
    const auto read = everywhere<double>(text);
    if (read)
        CHECK(std::bit_cast<std::uint64_t>(*read) ==
              std::bit_cast<std::uint64_t>(oracle<double>(text)));
}

std::string digits(std::size_t count, char digit = '1') { return std::string(count, digit); }

constexpr std::string_view misspelled[] = {
    "-", "+", "+1", "--1", "-+1", "- 1", "+ 1", "1 1", "1-", "1+", "1-1", "-a", "a1", "1a",
    // Zeros in front.
    "00", "01", "-00", "-01", "00.5", "01.5", "-01.5", "00e1", "0123", "08",
    // A point wants digits on both sides.
    "1.", "-1.", "0.", ".5", "-.5", ".", "-.", "1..5", "1.5.5", "1. 5", "1 .5", "1.e1", ".5e1",
    "1._5",
    // An exponent wants digits, after one sign at most.
    "1e", "1E", "1e+", "1e-", "1E+", "-1e", "e1", "-e1", "1e1.5", "1e1e1", "1ee1", "1e+-1", "1e--1",
    "1e++1", "1 e1", "1e 1", "1e1-", "0e", "0e+", "1.5e", "1e1a",
    // Other bases, separators, suffixes and signs.
    "0x1", "0X1", "0x1p3", "0b1", "0o7", "1_000", "1'000", "1f", "1.5f", "1L", "1u", "1d", "#1",
    "$1", "1%", "\xEF\xBC\x91", "\xE2\x88\x92\x31", "\xC2\xBD", "\"1", "1\"", "'1'", "(1)",
    // No numbers at all.
    "NaN", "nan", "-nan", "+NaN", "Infinity", "-Infinity", "+Infinity", "inf", "-inf", "INF",
    "1.#INF", "12345678a", "1.#QNAN", "true", "null", "undefined", "[]", "{}", "\"1\""};

TEST_CASE("json: a misspelled number is no number, whatever the type") {
    for (const std::string_view text : misspelled) {
        CAPTURE(text);
        CHECK(!everywhere<double>(text));
        CHECK(!everywhere<float>(text));
        CHECK(!everywhere<int>(text));
        CHECK(!everywhere<std::int64_t>(text));
        CHECK(!everywhere<std::uint64_t>(text));
        CHECK(!everywhere<std::int8_t>(text));
    }
}

TEST_CASE("json: a number that is cut short or goes on does not count") {
    constexpr std::string_view number = "-12.50e+07";
    for (std::size_t size = 1; size <= number.size(); ++size) {
        const std::string text{number.substr(0, size)};
        CAPTURE(text);
        const bool complete = text.back() >= '0' && text.back() <= '9';
        CHECK(everywhere<double>(text).has_value() == complete);
        for (const char extra : {'-', '+', '.', 'x', '_', '"', '\'', '\0', '\x7f', '\x80', ':'})
            CHECK(!everywhere<double>(text + extra));
    }
}

TEST_CASE("json: every way to spell a number") {
    for (const std::string_view text :
         {"0",     "-0",     "0.0",    "-0.0",
          "0e0",   "0E0",    "0e+0",   "0e-0",
          "-0e-0", "1",      "-1",     "10",
          "1.0",   "1.50",   "0.5",    "-0.5",
          "1e1",   "1E1",    "1e+1",   "1E+1",
          "1e-1",  "1E-1",   "1.5e1",  "1.5E-1",
          "1e00",  "1e01",   "1e+01",  "1e-007",
          "0.000", "0.1e-1", "100e-2", "123456789012345678901234567890"}) {
        check_double(text);
    }
}

// An integer is spelled as one: what has a point or an exponent is a float, also when it is whole.
TEST_CASE("json: what is spelled as a float is no integer") {
    for (const std::string_view text :
         {"1.0", "0.0", "-0.0", "1e0", "1E2", "10e-1", "-1.0", "1e19"}) {
        CAPTURE(text);
        CHECK(!everywhere<int>(text));
        CHECK(!everywhere<std::uint64_t>(text));
        CHECK(!everywhere<std::int64_t>(text));
    }
}

TEST_CASE("json: minus zero is an integer of signed types") {
    CHECK(everywhere<int>("-0") == 0);
    CHECK(everywhere<std::int64_t>("-0") == 0);
}

TEST_CASE("json: integers end where their types end, and far behind") {
    const auto range = []<class T>(T) {
        for (const T limit : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
            const std::string text = std::to_string(limit);
            CAPTURE(text);
            CHECK(everywhere<T>(text) == limit);
            if (limit == 0) continue;
            std::string next = text;
            ++next.back();  // no limit ends in 9
            CHECK(!everywhere<T>(next));
            CHECK(!everywhere<T>(text + "0"));
        }
        for (const std::size_t count : {21, 25, 39, 40, 100, 400, 5000}) {
            for (const char digit : {'1', '9'}) {
                CHECK(!everywhere<T>(digits(count, digit)));
                CHECK(!everywhere<T>('-' + digits(count, digit)));
            }
        }
        // 2^64, and some of its multiples: what wraps round to a small number.
        for (const std::string_view text :
             {"18446744073709551616", "18446744073709551617", "36893488147419103232",
              "184467440737095516160", "340282366920938463463374607431768211456",
              "-18446744073709551616", "-18446744073709551617"}) {
            CHECK(!everywhere<T>(text));
        }
    };
    range(std::int8_t{});
    range(std::int16_t{});
    range(std::int32_t{});
    range(std::int64_t{});
    range(std::uint8_t{});
    range(std::uint16_t{});
    range(std::uint32_t{});
    range(std::uint64_t{});
}

TEST_CASE("json: numbers near the ends of a double, and beyond") {
    for (const std::string_view text :
         {"1e308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
          "-1.7976931348623159e308", "1e309", "-1e309", "1e999", "1e1000000", "1e-307", "1e-323",
          "1e-324", "1e-325", "1e-400", "-1e-400", "1e-1000000", "0e999", "0e-999"}) {
        check_double(text);
    }
}

TEST_CASE("json: an exponent of any size is read right or refused") {
    for (const std::string_view size :
         {"2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
          "9223372036854775808", "9999999999999999999", "18446744073709551615",
          "18446744073709551616", "18446744073709551617", "99999999999999999999999999"}) {
        for (const std::string_view sign : {"", "+", "-"}) {
            for (const std::string_view front : {"1", "-1", "1.5", "0.5", "0"}) {
                std::string text{front};
                check_right_or_refused(text.append("e").append(sign).append(size));
                CHECK(!everywhere<std::uint64_t>(text));
            }
        }
    }
    for (const std::size_t count : {1, 17, 18, 19, 20, 400}) {
        check_right_or_refused("1e" + digits(count, '0') + "1");
        check_right_or_refused("1e-" + digits(count, '0') + "1");
    }
    const std::string zeros = digits(1000, '0');
    check_right_or_refused("0." + zeros + "1e1001");
    check_right_or_refused("1" + zeros + "e-1000");
}

TEST_CASE("json: zeros in front of a fraction do not count as digits") {
    for (std::size_t zeros = 0; zeros <= 40; ++zeros) {
        for (std::size_t count = 1; count <= 40; ++count) {
            for (const std::string_view exponent : {"", "e5", "e-5", "e300", "e-300"}) {
                for (const std::string_view sign : {"", "-"}) {
                    std::string text{sign};
                    text.append("0.").append(digits(zeros, '0')).append(digits(count, '4'));
                    check_double(text.append(exponent));
                }
            }
        }
    }
}

TEST_CASE("json: 400 digits and more") {
    for (const std::size_t count : {17, 18, 19, 20, 21, 40, 308, 309, 310, 400, 800, 5000}) {
        for (const char digit : {'0', '1', '4', '5', '9'}) {
            if (digit != '0') {
                check_double(digits(count, digit));
                check_double(digits(count, digit) + "e-" + std::to_string(count));
                check_double('-' + digits(count, digit) + "." + digits(count, digit));
            }
            check_double("0." + digits(count, digit));
            check_double("0." + digits(count, digit) + "1");
            check_double("1." + digits(count, digit) + "1e-300");
        }
    }
}

TEST_CASE("json: the smallest numbers there are") {
    for (const std::string_view text :
         {"5e-324", "4.9406564584124654e-324", "4.9e-324", "2.4703282292062327e-324",
          "2.4703282292062328e-324", "2.5e-324", "7.4e-324", "7.5e-324", "1e-323", "-5e-324",
          "2.2250738585072014e-308", "2.2250738585072011e-308", "2.225073858507201e-308",
          "2.2250738585072009e-308", "1.1125369292536007e-308", "3e-310"}) {
        check_double(text);
    }
}

TEST_CASE("json: halfway between two doubles the even one is taken, and a digit behind decides") {
    for (const std::uint64_t even :
         {std::uint64_t{1} << 53, std::uint64_t{1} << 54, std::uint64_t{1} << 60,
          std::uint64_t{0x1fffffffffffff} << 10}) {
        const auto width = static_cast<int>(std::bit_width(even));
        const std::uint64_t half = std::uint64_t{1} << (width - 54);
        for (const std::uint64_t tie : {even + half, even + 3 * half, even - half / 2}) {
            check_double(std::to_string(tie));
            check_double(std::to_string(tie - 1));
            check_double(std::to_string(tie + 1));
            check_double(std::to_string(tie) + ".0");
            check_double(std::to_string(tie) + "." + digits(500, '0') + "1");
            check_double(std::to_string(tie - 1) + "." + digits(500, '9'));
        }
    }
    for (const std::string_view text :
         {"1.00000000000000011102230246251565404236316680908203125",
          "1.00000000000000011102230246251565404236316680908203124",
          "1.00000000000000011102230246251565404236316680908203126", "9007199254740993.0",
          "9007199254740992.999999999999999999999999", "9007199254740993.000000000000000000000001",
          "8.5e22", "1e23", "6.02214076e23", "8.98846567431158e307", "0.3",
          "179769313486231580793e289"}) {
        check_double(text);
    }
}

TEST_CASE("json: a float is the nearest one, rounded once") {
    for (const std::string_view text :
         {"0.1", "1e38", "3.4028234663852886e38", "3.4028235e38", "1e-45", "1.17549435e-38",
          "16777217", "-0.0", "1.000000059604644775390626"}) {
        CAPTURE(text);
        CHECK(everywhere<float>(text) == oracle<float>(text));
    }
    CHECK(everywhere<float>("1e-46") == 0.0F);
    CHECK(std::signbit(*everywhere<float>("-1e-46")));
    CHECK(!everywhere<float>("1" + std::string(39, '0')));
    CHECK(!everywhere<float>("3.5e38"));
    CHECK(!everywhere<float>("1e39"));
    CHECK(!everywhere<float>("-1e39"));
}

TEST_CASE("json: any double comes back as it was written, bit for bit") {
    std::mt19937_64 random{20260101};
    std::vector<double> values{
        0.0, -0.0,    5e-324, 2.2250738585072014e-308, std::numeric_limits<double>::max(),
        0.1, 1.0 / 3, 1e23};
    for (int i = 0; i < 20000; ++i) values.push_back(std::bit_cast<double>(random()));
    for (int i = 0; i < 2000; ++i)
        values.push_back(static_cast<double>(random() >> (random() % 64)));
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        const std::string text = to_json(value);
        CAPTURE(text);
        const auto read = from_json<double>(text);
        REQUIRE(read);
        REQUIRE(std::bit_cast<std::uint64_t>(*read) == std::bit_cast<std::uint64_t>(value));
        const auto narrow = static_cast<float>(value);
        if (!std::isfinite(narrow)) continue;
        const auto read_narrow = from_json<float>(to_json(narrow));
        REQUIRE(read_narrow);
        REQUIRE(std::bit_cast<std::uint32_t>(*read_narrow) == std::bit_cast<std::uint32_t>(narrow));
    }
}

TEST_CASE("json: any spelling is read as its nearest double") {
    std::mt19937_64 random{8259};
    for (int i = 0; i < 20000; ++i) {
        std::string text = random() % 2 == 0 ? "-" : "";
        text += static_cast<char>('1' + random() % 9);
        for (std::uint64_t left = random() % 25; left != 0; --left)
            text += static_cast<char>('0' + random() % 10);
        if (random() % 2 == 0) {
            text += '.';
            for (std::uint64_t left = 1 + random() % 25; left != 0; --left)
                text += static_cast<char>('0' + random() % 10);
        }
        if (random() % 2 == 0) text += 'e' + std::to_string(static_cast<int>(random() % 700) - 350);
        const double expected = oracle<double>(text);
        const auto read = from_json<double>(text);
        CAPTURE(text);
        REQUIRE(read.has_value() == std::isfinite(expected));
        if (read)
            REQUIRE(std::bit_cast<std::uint64_t>(*read) == std::bit_cast<std::uint64_t>(expected));
    }
}

}  // namespace json_numbers
