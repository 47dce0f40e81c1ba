#include "codec/json_kernel.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <limits>
#include <thread>

using namespace samples;

TEST_CASE("json: a kernel was chosen") { CHECK(!waybill::codecs::json_kernel().empty()); }

TEST_CASE("json: fields come in any order and with any spaces") {
    CHECK(from_json<id_only>(R"({"id":7})")->id == 7);
    CHECK(from_json<id_only>(" { \"id\" \n:\t7\r } ")->id == 7);
    const auto read = from_json<line>(R"({"note":null,"cents":3 ,"sku" :"x"})");
    REQUIRE(read);
    CHECK(*read == line{"x", 3, {}});
}

TEST_CASE("json: unknown fields are skipped, whatever they hold") {
    for (const auto* unknown : {"1", "-1.5e3", "\"a}]\\\"\"", "true", "null", "[]", "{}",
                                "[1,[2,{\"id\":3}],\"]\"]", "{\"id\":{\"id\":[9]}}"}) {
        const std::string text = std::string{R"({"other":)"} + unknown + R"(,"id":7})";
        CAPTURE(text);
        CHECK(error_of(from_json<id_only>(text)) == "decoded");
        CHECK(from_json<id_only>(R"({"id":7,"other":)" + std::string{unknown} + "}")->id == 7);
    }
}

TEST_CASE("json: keys may be spelled with escapes") {
    CHECK(from_json<id_only>(R"({"\u0069d":7})")->id == 7);
    CHECK(error_of(from_json<id_only>(R"({"\u0069d":7,"id":8})")) ==
          "id, byte 13: field comes twice, found `\"id\":8}`");
    CHECK(!from_json<id_only>(R"({"id":7,"\ud800":8})"));
}

TEST_CASE("json: every integer type has its limits") {
    const numbers low{-128, -32768, -2147483648, std::numeric_limits<std::int64_t>::min(),
                      0,    0,      0,           0};
    const numbers high{127, 32767, 2147483647, std::numeric_limits<std::int64_t>::max(),
                       255, 65535, 4294967295, std::numeric_limits<std::uint64_t>::max()};
    CHECK(from_json<numbers>(to_json(low)) == low);
    CHECK(from_json<numbers>(to_json(high)) == high);
    CHECK(!from_json<std::int8_t>("128"));
    CHECK(!from_json<std::int8_t>("-129"));
    CHECK(!from_json<std::uint8_t>("256"));
    CHECK(!from_json<std::uint8_t>("-1"));
    CHECK(!from_json<std::uint32_t>("4294967296"));
}

TEST_CASE("json: a number at the very end does not read what lies behind") {
    waybill::byte_buffer buffer;
    buffer.append("12999999");
    for (std::size_t size = 1; size <= 8; ++size) {
        int value = 0;
        const auto done = read_into(value, waybill::codecs::json(), buffer.bytes().first(size));
        REQUIRE(done);
        CHECK(value == std::stoi(std::string{"12999999"}.substr(0, size)));
    }
}

TEST_CASE("json: strings stand in double quotes") {
    CHECK(from_json<std::string>(R"("")") == "");
    for (const auto* text :
         {"\"", "\"open", "\"open\\\"", "'a'", "a", "a\"", "\"a\"b", "\"a\"\"b\"", "1", "[]"}) {
        CAPTURE(text);
        CHECK(!from_json<std::string>(text));
    }
}

TEST_CASE("json: text that is not UTF-8 is refused, with its place") {
    CHECK(error_of(from_json<std::string>("\"ab\xC3\x28\"")) ==
          "payload, byte 3: expected UTF-8, found `.(\"`");
}

TEST_CASE("json: brackets of skipped values must match") {
    for (const auto* text : {R"({"o":[1},"id":1})", R"({"o":{"a":1],"id":1})",
                             R"({"o":[[1],"id":1})", R"({"o":],"id":1})", R"({"o":,"id":1})",
                             R"({"o"::1,"id":1})", R"({"o":1 2,"id":1})", R"({"o":[1]],"id":1})"}) {
        CAPTURE(text);
        CHECK(!from_json<id_only>(text));
    }
}

TEST_CASE("json: skipped values are held to the grammar around numbers and literals") {
    struct sample {
        std::string_view skipped;
        std::string_view error;
    };
    constexpr std::string_view member = "expected a key and its value, a comma or }, found ";
    constexpr std::string_view element = "expected a comma or ], found ";
    constexpr std::string_view value = "expected a value, found ";
    const auto says = [](const sample& one, std::string_view expected) {
        const std::string text = R"({"o":)" + std::string{one.skipped} + R"(,"id":7})";
        CAPTURE(text);
        const std::string error = error_of(from_json<id_only>(text));
        CHECK_MESSAGE(
            error.find(std::string{expected} + std::string{one.error}) != std::string::npos, error);
    };
    says({R"({1:2})", "`1:2}"}, member);
    says({R"({"a" 1})", "`1},"}, member);
    says({R"({"a":1 "b":2})", "`\"b\":2}"}, member);
    says({R"({"a":1,})", "`},"}, member);
    says({R"({"a":1])", "`],"}, member);
    says({R"({,"a":1})", "`,\"a\""}, member);
    says({R"({"a"})", "`},"}, member);
    says({R"(["a":1])", "`:1]"}, element);
    says({R"([1 2])", "`2]"}, element);
    says({R"([1})", "`},"}, element);
    says({R"([[1]2])", "`2]"}, element);
    says({R"([1,])", "`],"}, value);
    says({R"([,1])", "`,1]"}, value);
    says({R"({"a":})", "`},"}, value);
    says({R"({"a":x})", "`x},"}, value);
    says({R"(+1)", "`+1,"}, value);
    says({R"([{"a":[NaN]}])", "`NaN]"}, value);
    for (const auto* good : {R"({})", R"([])", R"([[],{},[{}]])", R"({"a":{},"b":[],"c":"]"})",
                             R"([-1,0.5e3,true,false,null,"{\""])", R"([ 1 , { "a" : 2 } ])"}) {
        CAPTURE(good);
        CHECK(from_json<id_only>(R"({"o":)" + std::string{good} + R"(,"id":7})")->id == 7);
    }
}

TEST_CASE("json: malformed objects and arrays are refused") {
    for (const auto* text : {"",
                             " ",
                             "{",
                             "}",
                             "{}",
                             "{\"id\"}",
                             "{\"id\":}",
                             "{\"id\":1,}",
                             "{,\"id\":1}",
                             "{\"id\":1 \"x\":2}",
                             "{\"id\" 1}",
                             "{id:1}",
                             "{1:1}",
                             "[]",
                             "[{\"id\":1}]",
                             "{\"id\":1}}",
                             "{\"id\":1} x",
                             "{\"id\":1}{\"id\":1}",
                             "{\"id\":1]",
                             "null",
                             "{\"id\":1;}",
                             "{\"id\":1,,\"x\":2}"}) {
        CAPTURE(text);
        CHECK(!from_json<id_only>(text));
    }
    for (const auto* text :
         {"[1,]", "[,1]", "[1 2]", "[1", "[", "]", "[1}", "[[1]]", "{}", "[1,,2]"}) {
        CAPTURE(text);
        CHECK(!from_json<std::vector<int>>(text));
    }
    CHECK(from_json<std::vector<int>>("[ ]")->empty());
    CHECK(from_json<std::vector<int>>("[1, 2 ,3]") == std::vector{1, 2, 3});
    CHECK(from_json<nothing>("{}"));
    CHECK(from_json<nothing>(R"({"a":[1]})"));
}

TEST_CASE("json: bytes that stand behind the payload are never taken for its end") {
    const std::string text = R"({"value":1,"children":[{"value":2,"children":[]}]})";
    for (std::size_t size = 0; size < text.size(); ++size) {
        for (const char filler : {'}', ']', ',', '"', ' ', '9', '{', ':'}) {
            std::string padded = text.substr(0, size) + std::string(64, filler);
            tree object;
            CAPTURE(size);
            CAPTURE(filler);
            CHECK(!read_into(object, waybill::codecs::json(), bytes_of(padded).first(size)));
        }
    }
}

TEST_CASE("json: bytes that stand behind the payload never close a skipped value") {
    const std::string text = R"({"id":1,"o":{"a":[1,{"b":[[]]}],"c":{"d":{}}}})";
    for (std::size_t size = 0; size < text.size(); ++size) {
        for (const char filler : {'}', ']', ',', '"', ' ', '9', '{', '[', ':'}) {
            std::string padded = text.substr(0, size) + std::string(64, filler);
            id_only object;
            CAPTURE(size);
            CAPTURE(filler);
            CHECK(!read_into(object, waybill::codecs::json(), bytes_of(padded).first(size)));
        }
    }
}

TEST_CASE("json: what an arena held before is not seen") {
    waybill::byte_buffer payload;
    payload.append("-2.5[65952e39");
    for (const char left : {']', '[', '}', ' ', '9'}) {
        waybill::arena kept;
        std::memset(kept.room(200), left, 200);
        kept.clear();
        double value = 0;
        const auto done = waybill::codecs::json()->decode(waybill::value_type_of<double>(), &value,
                                                          payload.bytes(), kept);
        CHECK(done.error().message() == "payload, byte 5: expected one value, found `65952e39`");
    }
}

TEST_CASE("json: a missing field is an error unless it is optional") {
    CHECK(error_of(from_json<line>(R"({"sku":"a"})")) ==
          "payload, byte 0: missing field \"cents\"");
    CHECK(error_of(from_json<std::vector<line>>(R"([{"sku":"a","cents":1},{"cents":1}])")) ==
          "[1], byte 23: missing field \"sku\"");
}

TEST_CASE("json: errors name the field and the place") {
    const auto failed = from_json<std::vector<order>>(
        R"([{"id":1,"customer":"","lines":[{"sku":"","cents":1},{"sku":"","cents":"x"}]}])");
    REQUIRE(!failed);
    CHECK(failed.error().code == waybill::errc::decode);
    CHECK(failed.error().where == "[0].lines[1].cents, byte 71");
    CHECK(failed.error().what == "expected an integer, found `\"x\"}]}]`");
    CHECK(error_of(from_json<std::vector<state>>(R"(["open","shut"])")) ==
          "[1], byte 8: expected a name of state, found `\"shut\"]`");
    CHECK(error_of(from_json<std::vector<bool>>("[true,falsy]")) ==
          "[1], byte 6: expected a boolean, found `falsy]`");
}

TEST_CASE("json: bytes are base64") {
    using bytes = std::vector<std::byte>;
    CHECK(from_json<bytes>(R"("")") == bytes{});
    CHECK(from_json<bytes>(R"("Zg==")") == bytes{std::byte{'f'}});
    CHECK(from_json<bytes>(R"("Zm8=")") == bytes{std::byte{'f'}, std::byte{'o'}});
    CHECK(from_json<bytes>(R"("Zm9v")") == bytes{std::byte{'f'}, std::byte{'o'}, std::byte{'o'}});
    CHECK(from_json<bytes>(R"("\/\/8=")") == bytes{std::byte{0xff}, std::byte{0xff}});
    for (const auto* text : {"\"Zg\"", "\"Zg=\"", "\"Z===\"", "\"====\"", "\"Zh==\"", "\"Zm9=\"",
                             "\"Zm 9v\"", "\"_-8=\"", "\"Zg==Zg==\"", "1"}) {
        CAPTURE(text);
        CHECK(!from_json<bytes>(text));
    }
}

TEST_CASE("json: a huge payload leaves the small ones as they were") {
    const std::string huge(std::size_t{5} << 20, 'x');
    for (int round = 0; round < 2; ++round) {
        const auto read = from_json<std::string>('"' + huge + '"');
        REQUIRE(read);
        CHECK(*read == huge);
        CHECK(from_json<id_only>(R"({"id":7})")->id == 7);
        CHECK(from_json<std::vector<int>>("[1,2]") == std::vector{1, 2});
    }
}

TEST_CASE("json: many threads may read at once") {
    const std::string text = to_json(full_order());
    std::array<bool, 4> good{};
    {
        std::vector<std::jthread> threads;
        threads.reserve(good.size());
        for (bool& mine : good)
            threads.emplace_back([&mine, &text] {
                mine = true;
                for (int i = 0; i < 200; ++i) mine = mine && from_json<order>(text) == full_order();
            });
    }
    for (const bool one : good) CHECK(one);
}
