// Faults that users of other frameworks reported: reading and writing JSON.
#include "shop.hpp"
#include "unit/codec/samples.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace json_reports {

using namespace samples;
using waybill::memory::queue;

struct measured {
    double x = 0;
};
struct greeting {
    static constexpr std::string_view address = "greetings";
    std::string text;
};

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view unknown = R"({"id":7,"x":)";

std::string times(std::size_t count, std::string_view piece) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += piece;
    return all;
}
std::string nested(std::size_t levels, std::string_view open, std::string_view close) {
    return times(levels, open) + times(levels, close);
}

TEST_CASE("B162: integers are exact over 64 bits, or do not fit") {
    struct sample {
        std::string_view text;
        std::uint64_t value;
    };
    for (const auto& [text, value] :
         {sample{"18446744073709551615", 18446744073709551615U},
          sample{"9007199254740993", 9007199254740993U},
          sample{"5000000000000000", 5000000000000000U}, sample{"0", 0},
          sample{"99999999", 99999999}, sample{"10000000", 10000000},
          sample{"123456789", 123456789}, sample{"4294967296", 4294967296U}}) {
        const std::string payload = "{\"id\":" + std::string{text} + "}";
        const auto read = from_json<id_only>(payload);
        REQUIRE(read);
        CHECK(read->id == value);
        CHECK(to_json(*read) == payload);
    }
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    CHECK(from_json<std::int64_t>("-9223372036854775808") == lowest);
    CHECK(to_json(lowest) == "-9223372036854775808");
    CHECK(error_of(from_json<id_only>(R"({"id":18446744073709551616})")) ==
          "id, byte 6: expected a number that fits std::uint64_t, found `18446744073709551616}`");
    CHECK(!from_json<std::int64_t>("9223372036854775808"));
    CHECK(!from_json<std::int64_t>("-9223372036854775809"));
}

TEST_CASE("B163: NaN and infinity have no form in JSON, in neither direction") {
    for (const double value : {nan, infinite, -infinite}) {
        CHECK(to_json(measured{value}) == "x: JSON has no form for infinity or NaN");
        CHECK(to_json(static_cast<float>(value)) ==
              "payload: JSON has no form for infinity or NaN");
        order one;
        one.rate = static_cast<float>(value);
        CHECK(to_json(one) == "rate: JSON has no form for infinity or NaN");
    }
    for (const auto* text : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-NaN", "1e999",
                             "-1e999", "null"}) {
        CAPTURE(text);
        CHECK(!from_json<measured>("{\"x\":" + std::string{text} + "}"));
    }
}

TEST_CASE("B163: a reply that holds NaN or infinity is an exception of its handler") {
    for (const double value : {nan, infinite, -infinite}) {
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{})
            .subscribe(
                queue("orders"),
                [value](const id_only&) -> waybill::reply<measured> { return measured{value}; })
            .reply_to("measured")
            .max_attempts(2)
            .dead_letter("orders.dead");
        waybill::test_app tb{std::move(app)};
        tb.publish("orders", id_only{7});
        CHECK(tb.published("measured").empty());
        REQUIRE(tb.published("orders.dead") == 1);
        CHECK(tb.published("orders.dead")[0].text() == R"({"id":7})");
    }
}

TEST_CASE("B164: a string that is not UTF-8 is not written") {
    order one;
    one.lines = {{}, {"ok", 1, "\xC3\x28"}};
    CHECK(to_json(one) == "lines[1].note: a string is not UTF-8");
    for (const auto* text : {"\xC3\x28", "\xC3", "\xFF", "a\x80", "\xED\xA0\x80", "\xC0\x80",
                             "\xF4\x90\x80\x80", "12345678\xE2\x82"}) {
        CHECK(to_json(std::string{text}) == "payload: a string is not UTF-8");
    }
}

TEST_CASE("B164: a reply that is not UTF-8 is an exception of its handler, and the app goes on") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(queue("orders"),
                   [](const id_only& one) -> waybill::reply<greeting> {
                       return greeting{one.id == 1 ? "\xC3\x28" : "hello"};
                   })
        .name("greet")
        .max_attempts(3)
        .dead_letter("orders.dead");
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", id_only{1});
    tb.publish("orders", id_only{2});
    tb.advance(std::chrono::hours{1});
    CHECK(tb.calls("greet") == 4);
    CHECK(tb.calls("greet")[0].error.find("a string is not UTF-8") != std::string::npos);
    REQUIRE(tb.published("greetings") == 1);
    CHECK(tb.published("greetings")[0].text() == R"({"text":"hello"})");
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].text() == R"({"id":1})");
    CHECK(tb.published("orders.dead")[0].with.text("waybill-dead-reason") == "attempts");
}

TEST_CASE("B164: a payload that is not UTF-8 and dies at the cap keeps its bytes") {
    constexpr std::string_view payload = "{\"id\":7,\"x\":\"\xC3\x28\"}";
    for (const auto& how : {waybill::memory::options{}, support::copies_only}) {
        const waybill::memory::server at{how};
        waybill::test_app raw{support::shop(at, support::always(waybill::retry()), 3)};
        raw.publish_raw("orders", payload);
        raw.advance(std::chrono::hours{1});
        CHECK(support::attempts(raw) == std::vector<std::uint32_t>{1, 2, 3});
        REQUIRE(raw.published("orders.dead") == 1);
        CHECK(raw.published("orders.dead")[0].text() == payload);

        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{waybill::memory::server{how}})
            .subscribe(queue("orders"), [](const id_only&) {})
            .max_attempts(3)
            .dead_letter("orders.dead")
            .on_undecodable(waybill::retry());
        waybill::test_app typed{std::move(app)};
        typed.publish_raw("orders", payload);
        typed.advance(std::chrono::hours{1});
        REQUIRE(typed.published("orders.dead") == 1);
        CHECK(typed.published("orders.dead")[0].text() == payload);
    }
}

// A reader may skip it (RFC 8259, 8.1); this one does not.
TEST_CASE("B165: a byte order mark is a clean error, and is never written") {
    CHECK(!from_json<id_only>("\xEF\xBB\xBF\x7B\x22\x69\x64\x22\x3A\x37\x7D"));
    for (const auto* text : {"\xEF\xBB\xBF", "\xEF\xBB", "\xEF"}) {
        CHECK(!from_json<id_only>(text));
        CHECK(!from_json<std::string>(text));
        CHECK(!from_json<std::vector<int>>(text));
        CHECK(!from_json<int>(text + std::string{"7"}));
        CHECK(!from_json<std::vector<int>>(text + std::string{"[7]"}));
    }
    CHECK(from_json<std::string>("\"\xEF\xBB\xBF\"") == "\xEF\xBB\xBF");
    CHECK(to_json(id_only{7}) == "\x7B\x22\x69\x64\x22\x3A\x37\x7D");
}

TEST_CASE("B166: nesting ends at 64 levels, read or skipped") {
    for (const std::string_view open : {"[", "{\"a\":"}) {
        const std::string_view close = open == "[" ? "]" : "}";
        const std::string value = open == "[" ? "" : "1";
        const auto inside = [&](std::size_t levels) {
            return std::string{unknown} + times(levels, open) + value + times(levels, close) + "}";
        };
        CHECK(from_json<id_only>(inside(63)));
        for (const std::size_t levels : {64, 100000})
            CHECK(error_of(from_json<id_only>(inside(levels))).find("expected at most 64 levels") !=
                  std::string::npos);
        for (const std::size_t levels : {65, 100000}) {
            for (const std::string& deep :
                 {times(levels, open), times(levels, open) + value + times(levels, close)}) {
                CHECK(!from_json<id_only>(std::string{unknown} + deep));
                CHECK(!from_json<id_only>(std::string{unknown} + deep + "}"));
                CHECK(!from_json<id_only>(deep));
                CHECK(!from_json<nothing>(deep));
                CHECK(!from_json<tree>(deep));
                CHECK(!from_json<int>(deep));
                CHECK(!from_json<std::vector<std::vector<int>>>(deep));
            }
        }
    }
    constexpr std::string_view level = R"({"value":1,"children":[)";
    CHECK(from_json<tree>(nested(32, level, "]}")));
    CHECK(!from_json<tree>(nested(33, level, "]}")));
    CHECK(!from_json<tree>(nested(50000, level, "]}")));
}

TEST_CASE("B166: a value that is nested deeper is not written") {
    tree root;
    tree* last = &root;
    for (int i = 0; i < 40; ++i) last = &last->children.emplace_back();
    CHECK(to_json(root).ends_with("the value is nested deeper than 64 levels"));
}

TEST_CASE("B166: a message of 100,000 levels is a dead letter, and the next one is handled") {
    for (const std::string_view head : {std::string_view{}, unknown}) {
        for (const std::string_view open : {"[", "{\"a\":"}) {
            waybill::app app{"shop", "1"};
            std::vector<std::uint64_t> seen;
            app.broker(waybill::memory::broker{})
                .subscribe(queue("orders"), [&](const id_only& one) { seen.push_back(one.id); })
                .max_attempts(3)
                .dead_letter("orders.dead");
            waybill::test_app tb{std::move(app)};
            const std::string deep = std::string{head} + times(100000, open);
            tb.publish_raw("orders", deep);
            tb.publish("orders", id_only{7});
            CHECK(seen == std::vector<std::uint64_t>{7});
            REQUIRE(tb.published("orders.dead") == 1);
            CHECK(tb.published("orders.dead")[0].text() == deep);
        }
    }
}

}  // namespace json_reports
