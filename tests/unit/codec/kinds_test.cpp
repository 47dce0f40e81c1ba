#include "samples.hpp"
#include <waybill/codec.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <map>
#include <span>
#include <unordered_map>
#include <variant>

using namespace samples;
using namespace std::chrono_literals;

namespace samples {

struct money {
    std::int64_t cents = 0;
    bool operator==(const money&) const = default;
};
struct weight {
    double grams = 0;
    bool operator==(const weight&) const = default;
};
struct picky {
    int value = 0;
    bool operator==(const picky&) const = default;
};
template <class T>
struct page {
    enum class order : std::uint8_t { asc, desc };
    order by = order::desc;
    T number{};
};
struct wide_row {
    std::optional<std::string> a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
struct nested_text {
    std::vector<std::string> words;
    bool operator==(const nested_text&) const = default;
};
struct with_nested_text {
    std::string before;
    std::map<std::string, nested_text> inside;
    std::string behind;
    bool operator==(const with_nested_text&) const = default;
};

}  // namespace samples

template <>
struct waybill::scalar<samples::money> {
    static std::string to_wire(const samples::money& value) {
        return std::to_string(value.cents) + " cents";
    }
    static std::optional<samples::money> from_wire(std::string_view text) {
        if (!text.ends_with(" cents")) return std::nullopt;
        return samples::money{std::stoll(std::string{text})};
    }
};
template <>
struct waybill::scalar<samples::nested_text> {
    static std::string to_wire(const samples::nested_text& value) {
        return samples::to_json(value.words);
    }
    static std::expected<samples::nested_text, std::string> from_wire(std::string_view text) {
        auto words = samples::from_json<std::vector<std::string>>(text);
        if (!words) return std::unexpected{"inside: \xff " + words.error().message()};
        return samples::nested_text{std::move(*words)};
    }
};
namespace samples {

struct level {
    std::int16_t value = 0;
};
using fortnights = std::chrono::duration<int, std::ratio<1209600>>;

}  // namespace samples

template <>
struct waybill::scalar<std::optional<samples::level>> {
    static std::int16_t to_wire(std::optional<samples::level> from) {
        return from ? from->value : std::int16_t{-1};
    }
    static std::optional<samples::level> from_wire(std::int16_t value) {
        return samples::level{value};
    }
};
template <>
struct waybill::scalar<samples::fortnights> {
    static int to_wire(samples::fortnights value) { return value.count(); }
    static samples::fortnights from_wire(int value) { return samples::fortnights{value}; }
};

namespace samples {

struct own_forms {
    std::optional<level> height;
    fortnights age{};
};

}  // namespace samples

template <>
struct waybill::scalar<samples::weight> {
    static double to_wire(samples::weight value) { return value.grams; }
    static samples::weight from_wire(double grams) { return {grams}; }
};
template <>
struct waybill::scalar<samples::picky> {
    static std::expected<int, std::string> to_wire(samples::picky value) {
        if (value.value == 13) return std::unexpected{"13 is not written"};
        return value.value;
    }
    static std::expected<samples::picky, std::string> from_wire(std::uint8_t value) {
        if (value == 13) return std::unexpected{"expected anything but 13"};
        if (value == 14) throw std::runtime_error{"expected anything but 14"};
        return samples::picky{value};
    }
};

namespace samples {

struct paid {
    std::uint64_t cents = 0;
    bool operator==(const paid&) const = default;
};
struct failed {
    std::string why;
    bool operator==(const failed&) const = default;
};

struct everything {
    std::array<std::int32_t, 3> triple{};
    std::array<std::byte, 4> digest{};
    std::map<std::string, std::uint32_t> stock;
    std::unordered_map<std::string, std::vector<std::string>> names;
    std::variant<paid, failed, std::uint32_t> event;
    std::chrono::sys_time<std::chrono::milliseconds> at{};
    std::chrono::nanoseconds took{};
    std::chrono::minutes limit{};
    money price;
    weight mass;
    picky choice;
    std::optional<std::variant<std::string, bool>> answer;
    bool operator==(const everything&) const = default;
};

struct borrower {
    std::string_view name;
    std::span<const std::byte> blob;
    std::vector<std::string_view> tags;
    std::optional<std::string_view> note;
};

struct ruled {
    std::uint32_t total = 7;
    std::string currency;
    int cached = 5;
    const char* any_type = "none";
    std::optional<int> found = 6;
    std::vector<int> numbers{1, 2};
};
struct strict {
    int a = 0;
    std::optional<int> b;
};

}  // namespace samples

template <>
struct waybill::message_traits<samples::ruled> {
    static constexpr auto fields = std::tuple{
        waybill::renamed(&samples::ruled::total, "total cents"),
        waybill::defaulted(&samples::ruled::currency, "GBP"),
        waybill::left_out(&samples::ruled::cached),
        waybill::left_out(&samples::ruled::any_type),
        waybill::left_out(&samples::ruled::found),
        waybill::defaulted(&samples::ruled::numbers),
        waybill::renamed(&samples::ruled::numbers, "числа"),
    };
};
template <>
struct waybill::message_traits<samples::strict> {
    static constexpr bool is_closed = true;
};

namespace {

everything sample() {
    return {.triple = {1, -2, 3},
            .digest = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{255}},
            .stock = {{"apple", 3}, {"pear \"x\"", 4}},
            .names = {{"a", {"x", "y"}}},
            .event = failed{"no money"},
            .at = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h + 5ms,
            .took = -1500ns,
            .limit = 90min,
            .price = {499},
            .mass = {0.25},
            .choice = {12},
            .answer = std::variant<std::string, bool>{true}};
}

constexpr std::string_view sample_text =
    R"({"triple":[1,-2,3],"digest":"AQID/w==","stock":{"apple":3,"pear \"x\"":4},)"
    R"("names":{"a":["x","y"]},"event":{"failed":{"why":"no money"}},)"
    R"("at":"2026-01-31T12:00:00.005Z","took":-1500,"limit":5400000000000,)"
    R"("price":"499 cents","mass":0.25,"choice":12,"answer":{"bool":true}})";

waybill::byte_buffer padded(std::string_view text) {
    waybill::byte_buffer payload;
    payload.append(text);
    return payload;
}

std::string with(std::string_view from, std::string_view to) {
    std::string text{sample_text};
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("every kind of value has its form in JSON") {
    CHECK(to_json(sample()) == sample_text);
    const auto read = from_json<everything>(sample_text);
    CHECK(error_of(read) == "decoded");
    CHECK(*read == sample());
}

TEST_CASE("every kind of value comes back from every codec, into new and into used objects") {
    for (const auto& with :
         {waybill::codecs::json(), waybill::codecs::cbor(),
          waybill::codecs::cbor({.deterministic = true}), waybill::codecs::msgpack()}) {
        CAPTURE(with->name());
        everything reused;
        everything other;
        other.stock = {{"fig", 1}, {"kiwi", 2}, {"lime", 3}};
        other.event = std::uint32_t{9};
        other.answer = "yes";
        for (const everything& value : {sample(), other, everything{}, sample(), other}) {
            waybill::byte_buffer payload;
            REQUIRE(with->encode(waybill::value_type_of<everything>(), &value, payload));
            CHECK(error_of(waybill::decode<everything>(with, payload.bytes())) == "decoded");
            CHECK(waybill::decode<everything>(with, payload.bytes()) == value);
            REQUIRE(read_into(reused, with, payload.bytes()));
            CHECK(reused == value);
            for (std::size_t size = 0; size < payload.size(); ++size)
                CHECK(!read_into(reused, with, payload.bytes().first(size)));
        }
    }
}

TEST_CASE("the rarer kinds have their forms in CBOR and MessagePack") {
    const std::chrono::sys_seconds at{};
    CHECK(to_cbor(at) == "c074" + to_hex(bytes_of("1970-01-01T00:00:00Z")));
    CHECK(to_msgpack(at) == "b4" + to_hex(bytes_of("1970-01-01T00:00:00Z")));
    CHECK(to_cbor(std::chrono::microseconds{-1}) == "3903e7");
    CHECK(to_msgpack(std::chrono::microseconds{-1}) == "d1fc18");
    CHECK(to_cbor(std::array{std::byte{1}, std::byte{2}}) == "420102");
    CHECK(to_msgpack(std::array{std::byte{1}, std::byte{2}}) == "c4020102");
    using event = std::variant<paid, std::uint8_t>;
    CHECK(to_cbor(event{std::uint8_t{7}}) == "a162753807");
    CHECK(to_msgpack(event{std::uint8_t{7}}) == "81a2753807");
    using stock = std::map<std::string, std::uint8_t>;
    CHECK(to_cbor(stock{{"aa", 1}, {"b", 2}}) == "a262616101616202");
    CHECK(waybill::encode(waybill::codecs::cbor({.deterministic = true}),
                          stock{{"aa", 1}, {"b", 2}}) == from_hex("a261620262616101"));
    CHECK(from_cbor<stock>("bf 7f 61 61 61 61 ff 01 6162 02 ff") == stock{{"aa", 1}, {"b", 2}});
    CHECK(from_cbor<std::array<int, 2>>("9f 01 02 ff") == std::array{1, 2});
    CHECK(from_cbor<event>("bf 62 7538 07 ff") == event{std::uint8_t{7}});
    CHECK(from_cbor<std::chrono::sys_seconds>("c1 1a514b67b0").error().message() ==
          "payload, byte 1: expected a text string, found `1363896240`");
}

TEST_CASE("errors of the rarer kinds in CBOR name the place") {
    using stock = std::map<std::string, std::uint8_t>;
    using event = std::variant<paid, std::uint8_t>;
    CHECK(error_of(from_cbor<std::array<int, 2>>("8101")) ==
          R"(payload, byte 0: expected an array of 2 elements, found 1)");
    CHECK(error_of(from_cbor<std::array<int, 2>>("83010203")) ==
          R"(payload, byte 3: expected an array of 2 elements, found `3`)");
    CHECK(error_of(from_cbor<std::array<std::byte, 2>>("43010203")) ==
          R"(payload, byte 0: expected 2 bytes, found `bytes`)");
    CHECK(error_of(from_cbor<stock>("a2 6161 01 6161 02")) ==
          R"(payload, byte 4: key comes twice, found `a`)");
    CHECK(error_of(from_cbor<stock>("a1 01 02")) ==
          R"(payload, byte 1: expected a text key, found `1`)");
    CHECK(error_of(from_cbor<stock>("a1 61c3 02")) ==
          R"(payload, byte 1: expected UTF-8, found `.`)");
    CHECK(error_of(from_cbor<stock>("a1 6161 20")) ==
          R"([`a`], byte 3: expected a number that fits std::uint8_t, found `-1`)");
    CHECK(error_of(from_cbor<event>("a0")) ==
          R"(payload, byte 0: expected exactly one alternative)");
    CHECK(error_of(from_cbor<event>("a1 6161 01")) ==
          R"(payload, byte 1: expected paid or u8, found `a`)");
    CHECK(error_of(from_cbor<event>("a2 627538 07 627538 07")) ==
          R"(payload, byte 5: expected exactly one alternative, found `u8`)");
    CHECK(error_of(from_cbor<event>("a1 627538 6161")) ==
          R"(u8, byte 4: expected an integer, found `a`)");
    CHECK(error_of(from_cbor<strict>("a2 6161 01 6163 01")) ==
          R"(payload, byte 4: unknown field in a closed type, found `c`)");
    CHECK(error_of(from_msgpack<strict>("82 a161 01 a163 01")) ==
          R"(payload, byte 4: unknown field in a closed type, found `c`)");
    CHECK(error_of(from_msgpack<picky>("0d")) ==
          R"(payload, byte 0: expected anything but 13, found `13`)");
}

TEST_CASE("enums inside of class templates have their names") {
    CHECK(to_json(page<int>{}) == R"({"by":"desc","number":0})");
    CHECK(from_json<page<std::pair<int, char>*>::order>(R"("asc")") ==
          page<std::pair<int, char>*>::order::asc);
}

TEST_CASE("a scalar of the user's own goes before what a type has else") {
    CHECK(to_json(own_forms{{}, fortnights{3}}) == R"({"height":-1,"age":3})");
    CHECK(from_json<own_forms>(R"({"height":4,"age":5})")->age == fortnights{5});
    CHECK(error_of(from_json<own_forms>(R"({"age":5})")) ==
          R"(payload, byte 0: missing field "height")");
}

TEST_CASE("a vector grows as far as the memory budget goes") {
    for (const std::size_t count : {17U, 33U, 70U}) {
        const std::vector<wide_row> rows(count, [] {
            wide_row one;
            one.a = "12345678";
            one.b = "12345678901234";
            return one;
        }());
        for (const auto& with : {waybill::codecs::json(), waybill::codecs::cbor()}) {
            const auto bytes = waybill::encode(with, rows);
            CHECK(error_of(waybill::decode<std::vector<wide_row>>(with, *bytes)) == "decoded");
        }
    }
}

TEST_CASE("a scalar may read JSON while JSON is read") {
    const std::string long_word(5000, 'w');
    const with_nested_text value{
        "first", {{"a\n", {{"x", "y\t"}}}, {"b", {{long_word, "\""}}}, {"c", {}}}, "last"};
    const auto read = from_json<with_nested_text>(to_json(value));
    CHECK(error_of(read) == "decoded");
    CHECK(*read == value);
    const auto refused =
        from_json<with_nested_text>(R"({"before":"","inside":{"k":"[1]"},"behind":""})");
    CHECK(
        error_of(refused) ==
        R"(inside[`k`], byte 27: inside: ? [0], byte 1: expected a string, fou..., found `"[1]"},"behind":""}`)");
}

TEST_CASE("what has no form is refused when it is written") {
    using std::chrono::sys_seconds;
    CHECK(to_json(sys_seconds{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1}}) ==
          R"(payload: the time is not in the years 0 to 9999)");
    CHECK(to_json(std::chrono::hours{3'000'000}) ==
          R"(payload: the duration is no number of nanoseconds of 64 bits)");
    CHECK(to_json(picky{13}) == R"(payload: 13 is not written)");
    CHECK(to_json(std::map<std::string, std::string>{{"a\xff", ""}}) ==
          R"(payload: a string is not UTF-8)");
    CHECK(to_json(std::map<std::string, std::vector<std::string>>{{"key", {"", "\xff"}}}) ==
          R"([`key`][1]: a string is not UTF-8)");
    CHECK(to_cbor(std::map<std::string, std::vector<std::string>>{{"key", {"", "\xff"}}}) ==
          R"([`key`][1]: a string is not UTF-8)");
    CHECK(to_json(std::map<std::string, double>{{"a", std::numeric_limits<double>::infinity()}}) ==
          R"([`a`]: JSON has no form for infinity or NaN)");
}

TEST_CASE("borrowed text of CBOR views the payload, and the arena where it came in chunks") {
    waybill::byte_buffer payload;
    const auto bytes = from_hex(
        "a3 64 6e616d65 63 414243 64 626c6f62 5f 41 01 41 02 ff 64 74616773 82 "
        "6161 7f 6162 6163 ff");
    payload.append(bytes.data(), bytes.size());
    waybill::arena kept;
    borrower read;
    REQUIRE(waybill::codecs::cbor()->decode(waybill::value_type_of<borrower>(), &read,
                                            payload.bytes(), kept));
    CHECK(read.name == "ABC");
    CHECK(static_cast<const void*>(read.name.data()) == payload.data() + 7);
    CHECK(to_hex(read.blob) == "0102");
    CHECK(read.tags == std::vector<std::string_view>{"a", "bc"});
}

TEST_CASE("JSON errors of the rarer kinds name the place") {
    const auto says = [](std::string_view from, std::string_view to) {
        return error_of(from_json<everything>(with(from, to)));
    };
    CHECK(says("[1,-2,3]", "[1,-2]") ==
          R"(triple, byte 10: expected an array of 3 elements, found 2)");
    CHECK(
        says("[1,-2,3]", "[1,-2,3,4]") ==
        R"(triple, byte 18: expected an array of 3 elements, found `4],"digest":"AQID/w==","`...)");
    CHECK(says("AQID/w==", "AQID") ==
          R"(digest, byte 28: expected base64 of 4 bytes, found `"AQID","stock":{"apple":`...)");
    CHECK(
        says("\"apple\":3", "\"apple\":-3") ==
        R"(stock[`apple`], byte 56: expected a number that fits std::uint32_t, found `-3,"pear \"x\"":4},"name`...)");
    CHECK(says("\"apple\":3", "\"pear \\u0022x\\u0022\":3") ==
          R"(stock, byte 71: key comes twice, found `"pear \"x\"":4},"names":`...)");
    CHECK(says("\"y\"", "7") ==
          R"(names[`a`][1], byte 92: expected a string, found `7]},"event":{"failed":{"`...)");
    CHECK(says("\"failed\":", "\"fallen\":") ==
          R"(event, byte 107: expected paid, failed or u32, found `"fallen":{"why":"no mone`...)");
    CHECK(
        says("\"no money\"}", "\"no money\"},\"paid\":{\"cents\":1}") ==
        R"(event, byte 135: expected exactly one alternative, found `"paid":{"cents":1}},"at"`...)");
    CHECK(says("\"no money\"", "1") ==
          R"(event.failed.why, byte 123: expected a string, found `1}},"at":"2026-01-31T12:`...)");
    CHECK(says("{\"bool\":true}", "{}") == R"(answer, byte 256: expected exactly one alternative)");
    CHECK(
        says("2026-01-31", "2026-02-31") ==
        R"(at, byte 141: expected a time like 2026-01-31T12:00:00Z, found `"2026-02-31T12:00:00.005`...)");
    CHECK(
        says("00.005", "00.0051") ==
        R"(at, byte 141: expected a time that the type can hold, found `"2026-01-31T12:00:00.005`...)");
    CHECK(
        says("5400000000000", "5400000000001") ==
        R"(limit, byte 189: expected nanoseconds that the type can hold, found `5400000000001,"price":"4`...)");
    CHECK(
        says("499 cents", "499") ==
        R"(price, byte 211: expected a value that the type accepts, found `"499","mass":0.25,"choic`...)");
    CHECK(says("499 cents", "many cents") ==
          R"(price, byte 211: stoll, found `"many cents","mass":0.25`...)");
    CHECK(says(":12,", ":13,") ==
          R"(choice, byte 244: expected anything but 13, found `13,"answer":{"bool":true`...)");
    CHECK(says(":12,", ":14,") ==
          R"(choice, byte 244: expected anything but 14, found `14,"answer":{"bool":true`...)");
    CHECK(
        says(":12,", ":256,") ==
        R"(choice, byte 244: expected a number that fits std::uint8_t, found `256,"answer":{"bool":tru`...)");
}

TEST_CASE("borrowed text views the payload, and the arena where it is escaped") {
    waybill::byte_buffer payload;
    payload.append(R"({"name":"plain","blob":"AQI=","tags":["a","\u0062\n"],"note":"x"})");
    waybill::arena kept;
    borrower read;
    const auto done = waybill::codecs::json()->decode(waybill::value_type_of<borrower>(), &read,
                                                      payload.bytes(), kept);
    REQUIRE(done);
    CHECK(read.name == "plain");
    CHECK(read.name.data() > reinterpret_cast<const char*>(payload.data()));
    CHECK(read.name.data() < reinterpret_cast<const char*>(payload.data()) + payload.size());
    CHECK(read.blob.size() == 2);
    CHECK(read.tags[1] == "b\n");
    CHECK(read.note == "x");
    static_assert(waybill::borrowing<borrower>);
    static_assert(!waybill::borrowing<everything>);
    static_assert(!waybill::borrowing<tree>);
}

TEST_CASE("fields are renamed, defaulted and left out as the traits say") {
    CHECK(to_json(ruled{3, "EUR", 9, nullptr, {}, {}}) ==
          R"({"total cents":3,"currency":"EUR","числа":[]})");
    const auto read = from_json<ruled>(R"({"total cents":1,"cached":8,"total":2})");
    CHECK(error_of(read) == "decoded");
    CHECK(read->total == 1);
    CHECK(read->currency == "GBP");
    CHECK(read->cached == 5);
    CHECK(read->any_type == std::string_view{"none"});
    CHECK(read->found == 6);
    ruled used{3, "EUR", 9, nullptr, {}, {}};
    CHECK(read_into(used, waybill::codecs::json(), padded(R"({"total cents":1})").bytes()));
    CHECK(used.cached == 5);
    CHECK(used.any_type == std::string_view{"none"});
    CHECK(used.found == 6);
    CHECK(read->numbers == std::vector{1, 2});
    CHECK(error_of(from_json<ruled>("{}")) == R"(payload, byte 0: missing field "total cents")");
    CHECK(error_of(from_json<strict>(R"({"a":1,"c":2})")) ==
          R"(payload, byte 7: unknown field in a closed type, found `"c":2}`)");
}
