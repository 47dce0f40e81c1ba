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

TEST_CASE("JSON errors of the rarer kinds name the place") {
    const auto says = [](std::string_view from, std::string_view to) {
        return error_of(from_json<everything>(with(from, to)));
    };
    CHECK(says("[1,-2,3]", "[1,-2]") == R"(triple, byte 10: expected an array of 3 elements)");
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
    CHECK(to_json(ruled{3, "EUR", 9, {}}) == R"({"total cents":3,"currency":"EUR","числа":[]})");
    const auto read = from_json<ruled>(R"({"total cents":1,"cached":8,"total":2})");
    CHECK(error_of(read) == "decoded");
    CHECK(read->total == 1);
    CHECK(read->currency == "GBP");
    CHECK(read->cached == 5);
    CHECK(read->numbers == std::vector{1, 2});
    CHECK(error_of(from_json<ruled>("{}")) == R"(payload, byte 0: missing field "total cents")");
    CHECK(error_of(from_json<strict>(R"({"a":1,"c":2})")) ==
          R"(payload, byte 7: unknown field in a closed type, found `"c":2}`)");
}
