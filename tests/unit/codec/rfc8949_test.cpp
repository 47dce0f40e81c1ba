// The examples of RFC 8949: all of appendix A, and all of appendix F.1.
#include "samples.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <functional>
#include <limits>

using namespace samples;

namespace rfc8949 {

struct a_and_b {
    int a = 0;
    std::vector<int> b;
    bool operator==(const a_and_b&) const = default;
};
struct letters {
    std::string a, b, c, d, e;
    bool operator==(const letters&) const = default;
};
struct fun_and_amount {
    bool Fun = false;
    int Amt = 0;
    bool operator==(const fun_and_amount&) const = default;
};
/// One field, and all else is unknown.
struct last_only {
    int last = 0;
};

using check = std::function<void(std::string_view hex)>;

template <class T>
bool same(const T& one, const T& other) {
    return one == other;
}
/// A NaN is as good as any other, and zero has a sign.
bool same(double one, double other) {
    return (one != one && other != other) ||
           std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other);
}

/// Reads as the value, which is written in other bytes: a float has the width of its C++ type, a
/// tag is passed over, lengths are definite.
template <class T>
check reads(const T& value) {
    return [value](std::string_view hex) {
        const auto read = from_cbor<T>(hex);
        CHECK(error_of(read) == "decoded");
        if (read) CHECK(same(*read, value));
        CHECK(to_cbor(value) != hex);
        CHECK(same(from_cbor<T>(to_cbor(value)).value(), value));
    };
}

/// Reads as the value, and is what the value is written as.
template <class T>
check both_ways(const T& value) {
    return [value](std::string_view hex) {
        const auto read = from_cbor<T>(hex);
        CHECK(error_of(read) == "decoded");
        if (read) CHECK(same(*read, value));
        CHECK(to_cbor(value) == hex);
    };
}

/// `T` has no place for the item.
template <class T>
check refused(std::string_view error) {
    return [error](std::string_view hex) { CHECK(error_of(from_cbor<T>(hex)) == error); };
}

check text(const char* value) { return both_ways(std::string{value}); }
check bytes(std::string_view hex) { return both_ways(from_hex(hex)); }

std::vector<int> one_to_25() {
    std::vector<int> all;
    for (int i = 1; i <= 25; ++i) all.push_back(i);
    return all;
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr float infinite_float = std::numeric_limits<float>::infinity();

struct row {
    std::string_view diagnostic;  // as the table has it
    std::string_view hex;
    check as;
};

/// RFC 8949, appendix A, table 6, in its order.
const std::vector<row>& appendix_a() {
    using integers = std::vector<int>;
    static const std::vector<row> rows{
        {"0", "00", both_ways(0)},
        {"1", "01", both_ways(1)},
        {"10", "0a", both_ways(10)},
        {"23", "17", both_ways(23)},
        {"24", "1818", both_ways(24)},
        {"25", "1819", both_ways(25)},
        {"100", "1864", both_ways(100)},
        {"1000", "1903e8", both_ways(1000)},
        {"1000000", "1a000f4240", both_ways(1000000)},
        {"1000000000000", "1b000000e8d4a51000", both_ways(std::int64_t{1000000000000})},
        {"18446744073709551615", "1bffffffffffffffff",
         both_ways(std::uint64_t{18446744073709551615U})},
        {"18446744073709551616", "c249010000000000000000", reads(from_hex("010000000000000000"))},
        {"-18446744073709551616", "3bffffffffffffffff",
         refused<std::int64_t>("payload, byte 0: expected a number that fits std::int64_t, found "
                               "`-18446744073709551616`")},
        {"-18446744073709551617", "c349010000000000000000",
         refused<std::int64_t>("payload, byte 1: expected an integer, found `bytes`")},
        {"-1", "20", both_ways(-1)},
        {"-10", "29", both_ways(-10)},
        {"-100", "3863", both_ways(-100)},
        {"-1000", "3903e7", both_ways(-1000)},
        {"0.0", "f90000", reads(0.0)},
        {"-0.0", "f98000", reads(-0.0)},
        {"1.0", "f93c00", reads(1.0)},
        {"1.1", "fb3ff199999999999a", both_ways(1.1)},
        {"1.5", "f93e00", reads(1.5F)},
        {"65504.0", "f97bff", reads(65504.0)},
        {"100000.0", "fa47c35000", both_ways(100000.0F)},
        {"3.4028234663852886e+38", "fa7f7fffff", both_ways(3.4028234663852886e+38F)},
        {"1.0e+300", "fb7e37e43c8800759c", both_ways(1.0e+300)},
        {"5.960464477539063e-8", "f90001", reads(5.960464477539063e-8)},
        {"0.00006103515625", "f90400", reads(0.00006103515625)},
        {"-4.0", "f9c400", reads(-4.0)},
        {"-4.1", "fbc010666666666666", both_ways(-4.1)},
        {"Infinity", "f97c00", reads(infinite)},
        {"NaN", "f97e00", reads(nan)},
        {"-Infinity", "f9fc00", reads(-infinite)},
        {"Infinity", "fa7f800000", both_ways(infinite_float)},
        {"NaN", "fa7fc00000", reads(nan)},
        {"-Infinity", "faff800000", both_ways(-infinite_float)},
        {"Infinity", "fb7ff0000000000000", both_ways(infinite)},
        {"NaN", "fb7ff8000000000000", both_ways(nan)},
        {"-Infinity", "fbfff0000000000000", both_ways(-infinite)},
        {"false", "f4", both_ways(false)},
        {"true", "f5", both_ways(true)},
        {"null", "f6", both_ways(std::optional<int>{})},
        {"undefined", "f7", reads(std::optional<int>{})},
        {"simple(16)", "f0", refused<bool>("payload, byte 0: expected a boolean, found `0xf0`")},
        {"simple(255)", "f8ff",
         refused<std::optional<int>>("payload, byte 0: expected an integer, found `0xf8`")},
        {"0(\"2013-03-21T20:04:00Z\")", "c074323031332d30332d32315432303a30343a30305a",
         reads(std::string{"2013-03-21T20:04:00Z"})},
        {"1(1363896240)", "c11a514b67b0", reads(1363896240)},
        {"1(1363896240.5)", "c1fb41d452d9ec200000", reads(1363896240.5)},
        {"23(h'01020304')", "d74401020304", reads(from_hex("01020304"))},
        {"24(h'6449455446')", "d818456449455446", reads(from_hex("6449455446"))},
        {"32(\"http://www.example.com\")", "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
         reads(std::string{"http://www.example.com"})},
        {"h''", "40", bytes("")},
        {"h'01020304'", "4401020304", bytes("01020304")},
        {"\"\"", "60", text("")},
        {"\"a\"", "6161", text("a")},
        {"\"IETF\"", "6449455446", text("IETF")},
        {R"("\"\\")", "62225c", text("\"\\")},
        {R"("\u00fc")", "62c3bc", text("\u00fc")},
        {R"("\u6c34")", "63e6b0b4", text("\u6c34")},
        {R"("\ud800\udd51")", "64f0908591", text("\U00010151")},
        {"[]", "80", both_ways(integers{})},
        {"[1, 2, 3]", "83010203", both_ways(integers{1, 2, 3})},
        {"[1, [2, 3], [4, 5]]", "8301820203820405",
         refused<integers>("[1], byte 2: expected an integer, found `array`")},
        {"[1, 2, 3, ... 25]", "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
         both_ways(one_to_25())},
        {"{}", "a0", both_ways(nothing{})},
        {"{1: 2, 3: 4}", "a201020304",
         refused<nothing>("payload, byte 1: expected a text key, found `1`")},
        {"{\"a\": 1, \"b\": [2, 3]}", "a26161016162820203", both_ways(a_and_b{1, {2, 3}})},
        {"[\"a\", {\"b\": \"c\"}]", "826161a161626163",
         refused<std::vector<std::string>>("[1], byte 3: expected a text string, found `map`")},
        {"{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}",
         "a56161614161626142616361436164614461656145", both_ways(letters{"A", "B", "C", "D", "E"})},
        {"(_ h'0102', h'030405')", "5f42010243030405ff", reads(from_hex("0102030405"))},
        {"(_ \"strea\", \"ming\")", "7f657374726561646d696e67ff", reads(std::string{"streaming"})},
        {"[_ ]", "9fff", reads(integers{})},
        {"[_ 1, [2, 3], [_ 4, 5]]", "9f018202039f0405ffff",
         refused<integers>("[1], byte 2: expected an integer, found `array`")},
        {"[_ 1, [2, 3], [4, 5]]", "9f01820203820405ff",
         refused<integers>("[1], byte 2: expected an integer, found `array`")},
        {"[1, [2, 3], [_ 4, 5]]", "83018202039f0405ff",
         refused<integers>("[1], byte 2: expected an integer, found `array`")},
        {"[1, [_ 2, 3], [4, 5]]", "83019f0203ff820405",
         refused<integers>("[1], byte 2: expected an integer, found `array`")},
        {"[_ 1, 2, 3, ... 25]", "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
         reads(one_to_25())},
        {"{_ \"a\": 1, \"b\": [_ 2, 3]}", "bf61610161629f0203ffff", reads(a_and_b{1, {2, 3}})},
        {"[\"a\", {_ \"b\": \"c\"}]", "826161bf61626163ff",
         refused<std::vector<std::string>>("[1], byte 3: expected a text string, found `map`")},
        {"{_ \"Fun\": true, \"Amt\": -2}", "bf6346756ef563416d7421ff",
         reads(fun_and_amount{true, -2})},
    };
    return rows;
}

/// RFC 8949, appendix F.1, in its order.
constexpr std::string_view appendix_f1[] = {
    // Too little data: the end of the input in a head.
    "18", "19", "1a", "1b", "19 01", "1a 01 02", "1b 01 02 03 04 05 06 07", "38", "58", "78", "98",
    "9a 01 ff 00", "b8", "d8", "f8", "f9 00", "fa 00 00", "fb 00 00 00",
    // Strings of definite length that are cut short.
    "41", "61", "5a ff ff ff ff 00", "5b ff ff ff ff ff ff ff ff 01 02 03", "7a ff ff ff ff 00",
    "7b 7f ff ff ff ff ff ff ff 01 02 03",
    // Maps and arrays of definite length with too few items.
    "81", "81 81 81 81 81 81 81 81 81", "82 00", "a1", "a2 01 02", "a1 00", "a2 00 00 00",
    // A tag of nothing.
    "c0",
    // Strings, maps and arrays of indefinite length without their stop.
    "5f 41 00", "7f 61 00", "9f", "9f 01 02", "bf", "bf 01 02 01 02", "81 9f", "9f 80 00",
    "9f 9f 9f 9f 9f ff ff ff ff", "9f 81 9f 81 9f 9f ff ff ff",
    // Subkind 1: reserved additional information.
    "1c", "1d", "1e", "3c", "3d", "3e", "5c", "5d", "5e", "7c", "7d", "7e", "9c", "9d", "9e", "bc",
    "bd", "be", "dc", "dd", "de", "fc", "fd", "fe",
    // Subkind 2: simple values below 32 in two bytes.
    "f8 00", "f8 01", "f8 18", "f8 1f",
    // Subkind 3: chunks of another type, or of indefinite length.
    "5f 00 ff", "5f 21 ff", "5f 61 00 ff", "5f 80 ff", "5f a0 ff", "5f c0 00 ff", "5f e0 ff",
    "7f 41 00 ff", "5f 5f 41 00 ff ff", "7f 7f 61 00 ff ff",
    // Subkind 4: a stop where none may be.
    "ff", "81 ff", "82 00 ff", "a1 ff", "a1 ff 00", "a1 00 ff", "a2 00 00 ff", "9f 81 ff",
    "9f 82 9f 81 9f 9f ff ff ff ff", "bf 00 ff", "bf 00 00 00 ff",
    // Subkind 5: integers and tags of indefinite length.
    "1f", "3f", "df"};

/// Calls `use` with a codec of hex digits for each kind of type.
template <class Use>
void with_every_kind(const Use& use) {
    use(from_cbor<std::int64_t>);
    use(from_cbor<std::uint8_t>);
    use(from_cbor<double>);
    use(from_cbor<float>);
    use(from_cbor<bool>);
    use(from_cbor<std::string>);
    use(from_cbor<state>);
    use(from_cbor<std::vector<std::byte>>);
    use(from_cbor<std::vector<bool>>);
    use(from_cbor<std::optional<int>>);
    use(from_cbor<std::vector<int>>);
    use(from_cbor<std::vector<std::string>>);
    use(from_cbor<std::vector<std::vector<std::vector<int>>>>);
    use(from_cbor<nothing>);
    use(from_cbor<std::vector<nothing>>);
    use(from_cbor<letters>);
}

TEST_CASE(
    "cbor: each example of RFC 8949 appendix A is read as its type and written as preferred") {
    CHECK(appendix_a().size() == 81);
    for (const row& one : appendix_a()) {
        CAPTURE(one.diagnostic);
        CAPTURE(one.hex);
        one.as(one.hex);
    }
}

TEST_CASE("cbor: each example of RFC 8949 appendix A is skipped in an unknown field") {
    for (const row& one : appendix_a()) {
        CAPTURE(one.diagnostic);
        for (const std::string& item :
             {std::string{one.hex}, "81" + std::string{one.hex}, "d82a" + std::string{one.hex},
              "9f" + std::string{one.hex} + "ff", "a16178" + std::string{one.hex}}) {
            const auto read = from_cbor<last_only>("a2 6178" + item + "646c617374 07");
            CHECK(error_of(read) == "decoded");
            if (read) CHECK(read->last == 7);
        }
    }
}

TEST_CASE("cbor: an example of RFC 8949 appendix A that is cut short is an error") {
    for (const row& one : appendix_a()) {
        for (std::size_t size = 0; size < one.hex.size(); size += 2) {
            const std::string cut{one.hex.substr(0, size)};
            CAPTURE(one.hex);
            CAPTURE(cut);
            with_every_kind([&](const auto& read) { CHECK(!read(cut)); });
            CHECK(!from_cbor<nothing>("a1 6178" + cut));
        }
    }
}

TEST_CASE("cbor: an example of RFC 8949 appendix A with a byte behind it is an error") {
    for (const row& one : appendix_a()) {
        CAPTURE(one.hex);
        for (const std::string_view extra : {"00", "f6", "ff", "c0"}) {
            const std::string more = std::string{one.hex} + std::string{extra};
            with_every_kind([&](const auto& read) { CHECK(!read(more)); });
        }
    }
}

TEST_CASE("cbor: what is not well-formed in RFC 8949 appendix F.1 is an error, read or skipped") {
    CHECK(std::size(appendix_f1) == 94);
    for (const std::string_view hex : appendix_f1) {
        CAPTURE(hex);
        with_every_kind([&](const auto& read) { CHECK(!read(hex)); });
        for (const std::string_view head :
             {"a1 6178", "a1 6178 81", "a1 6178 9f", "a1 6178 c1", "a1 6178 a1 00", "bf 6178"}) {
            // In an array of indefinite length, a lone stop would be that array's.
            if (hex == "ff" && head == "a1 6178 9f") continue;
            CHECK(!from_cbor<nothing>(std::string{head} + std::string{hex}));
        }
    }
}

}  // namespace rfc8949
