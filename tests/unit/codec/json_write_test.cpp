#include "samples.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace samples;

TEST_CASE("json: what is written reads back the same") {
    CHECK(from_json<order>(to_json(full_order())) == full_order());
    CHECK(from_json<order>(to_json(order{})) == order{});
    const tree family{1, {{2, {}}, {3, {{4, {}}}}}};
    CHECK(from_json<tree>(to_json(family)) == family);
}

TEST_CASE("json: the text is compact and leaves absent optionals out") {
    CHECK(to_json(line{"a", 5, {}}) == R"({"sku":"a","cents":5})");
    CHECK(to_json(line{"a", 5, "b"}) == R"({"sku":"a","cents":5,"note":"b"})");
    CHECK(to_json(nothing{}) == "{}");
    CHECK(to_json(std::vector<std::optional<int>>{1, {}, 3}) == "[1,null,3]");
    CHECK(to_json(std::vector<int>{}) == "[]");
    CHECK(to_json(std::vector<bool>{true, false}) == "[true,false]");
    CHECK(to_json(std::vector<line>{}) == "[]");
    CHECK(to_json(state::paid) == "\"paid\"");
    CHECK(to_json(std::vector{std::byte{'f'}}) == "\"Zg==\"");
}

TEST_CASE("json: every count of digits is written") {
    std::uint64_t value = 0;
    for (int digits = 1; digits <= 20; ++digits) {
        value = value * 10 + static_cast<std::uint64_t>(digits % 10);
        CHECK(to_json(value) == std::to_string(value));
        CHECK(to_json(-static_cast<std::int64_t>(value)) ==
              std::to_string(-static_cast<std::int64_t>(value)));
    }
    for (std::uint64_t power = 1; power < 10000000000000000000U; power *= 10) {
        CHECK(to_json(power) == std::to_string(power));
        CHECK(to_json(power - 1) == std::to_string(power - 1));
    }
    CHECK(to_json(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(to_json(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
}

TEST_CASE("json: strings of every length are escaped where they must be") {
    for (std::size_t size = 0; size < 40; ++size) {
        for (std::size_t place = 0; place < size; ++place) {
            for (const char letter : {'"', '\\', '\x01', '\x1f', '\x7f', 'x'}) {
                std::string text(size, 'a');
                text[place] = letter;
                CHECK(from_json<std::string>(to_json(text)) == text);
            }
        }
    }
    CHECK(to_json(std::string("\x01\x1f\b\f\n\r\t\"\\/")) == R"("\u0001\u001F\b\f\n\r\t\"\\/")");
    CHECK(to_json(std::string{"\u00e9\u20ac\U0001F600"}) == "\"\u00e9\u20ac\U0001F600\"");
}

TEST_CASE("json: a text that ends within a character is refused, whatever stands behind it") {
    for (const std::string_view character : {"\u00e9", "\u20ac", "\U0001F600",
                                             "\xe2"
                                             "ac",
                                             "\xf0"
                                             "ab"}) {
        for (std::size_t before = 0; before < 12; ++before) {
            const std::string all = std::string(before, 'a') + std::string{character} + "behind";
            for (std::size_t size = 1; size < character.size(); ++size)
                CHECK(to_json(std::string_view{all}.substr(0, before + size)) ==
                      "payload: a string is not UTF-8");
        }
    }
}

TEST_CASE("json: a value without an enumerator cannot be written") {
    order one;
    one.status = static_cast<state>(5);
    CHECK(to_json(one) == "status: the value has no enumerator");
}

TEST_CASE("json: a failed encode leaves the buffer as it was") {
    waybill::byte_buffer out;
    out.append("before");
    order one;
    one.customer = std::string(1000, 'x');
    one.rate = std::numeric_limits<float>::infinity();
    const auto done = waybill::codecs::json()->encode(waybill::value_type_of<order>(), &one, out);
    REQUIRE(!done);
    CHECK(done.error().code == waybill::errc::encode);
    CHECK(out.size() == 6);
}
