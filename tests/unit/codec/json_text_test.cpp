// Strings of JSON: UTF-8, escapes, control characters.
#include "samples.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace samples;

namespace json_text {

struct quoted_key {
    int key = 0;
};

/// The content of a string, read as a value, as an element and in a field.
std::expected<std::string, waybill::error> read(std::string_view content) {
    const std::string text = '"' + std::string{content} + '"';
    const auto value = from_json<std::string>(text);
    const auto element = from_json<std::vector<std::string>>("[\"\"," + text + ",\"\"]");
    const auto field = from_json<line>(R"({"cents":1,"sku":)" + text + "}");
    CHECK(value.has_value() == element.has_value());
    CHECK(value.has_value() == field.has_value());
    if (value && element && field) {
        CHECK(element->at(1) == *value);
        CHECK(field->sku == *value);
    }
    return value;
}

/// Read and written; a key and an unknown field are held to UTF-8 too.
void check_utf8(const std::string& bytes, bool well_formed) {
    CAPTURE(to_hex(bytes_of(bytes)));
    // At the end, in the middle, and across the 64 bytes that simdjson looks at together.
    for (const std::size_t before : {0, 1, 7, 58, 62, 63, 64}) {
        for (const std::size_t after : {0, 1, 70}) {
            const std::string text = std::string(before, 'a') + bytes + std::string(after, 'z');
            const auto got = read(text);
            REQUIRE(got.has_value() == well_formed);
            if (got) REQUIRE(*got == text);
            REQUIRE(from_json<id_only>(R"({"id":1,"x":")" + text + "\"}").has_value() ==
                    well_formed);
            REQUIRE(from_json<id_only>("{\"" + text + R"(":0,"id":1})").has_value() == well_formed);
            const bool written = to_json(text) == '"' + text + '"';
            REQUIRE(written == well_formed);
        }
    }
}

std::string as_bytes(std::initializer_list<unsigned> values) {
    std::string text;
    for (const unsigned value : values) text += static_cast<char>(value);
    return text;
}

/// A row of the Unicode Standard's table 3-7, "Well-Formed UTF-8 Byte Sequences".
struct row {
    struct range {
        unsigned low, high;
        bool has(unsigned byte) const { return byte >= low && byte <= high; }
    };
    std::vector<range> bytes;
};
const std::vector<row>& table_3_7() {
    static const std::vector<row> rows{
        {{{0xc2, 0xdf}, {0x80, 0xbf}}},
        {{{0xe0, 0xe0}, {0xa0, 0xbf}, {0x80, 0xbf}}},
        {{{0xe1, 0xec}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {{{0xed, 0xed}, {0x80, 0x9f}, {0x80, 0xbf}}},
        {{{0xee, 0xef}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {{{0xf0, 0xf0}, {0x90, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {{{0xf1, 0xf3}, {0x80, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
        {{{0xf4, 0xf4}, {0x80, 0x8f}, {0x80, 0xbf}, {0x80, 0xbf}}},
    };
    return rows;
}

TEST_CASE("json: the byte sequences of Unicode's table 3-7 at their limits, and one beyond") {
    for (const row& one : table_3_7()) {
        for (const bool high : {false, true}) {
            std::string limit;
            for (const auto& range : one.bytes)
                limit += static_cast<char>(high ? range.high : range.low);
            check_utf8(limit, true);
            check_utf8(limit.substr(0, limit.size() - 1), false);
            check_utf8(limit + '\x80', false);
            for (std::size_t i = 1; i < limit.size(); ++i) {
                for (const unsigned other : {one.bytes[i].low - 1, one.bytes[i].high + 1}) {
                    std::string wrong = limit;
                    wrong[i] = static_cast<char>(other);
                    check_utf8(wrong, false);
                }
            }
        }
    }
}

TEST_CASE("json: every pair of bytes that starts a character, by Unicode's table 3-7") {
    for (unsigned lead = 0x80; lead < 0x100; ++lead) {
        for (unsigned second = 0x20; second < 0x100; ++second) {
            if (second == '"' || second == '\\') continue;
            bool well_formed = false;
            std::string text = as_bytes({lead, second});
            for (const row& one : table_3_7()) {
                if (!one.bytes[0].has(lead)) continue;
                well_formed = one.bytes[1].has(second);
                text.append(one.bytes.size() - 2, '\x80');
            }
            CAPTURE(to_hex(bytes_of(text)));
            REQUIRE(from_json<std::string>('"' + text + '"').has_value() == well_formed);
            REQUIRE(from_json<id_only>(R"({"id":1,"x":")" + text + "\"}").has_value() ==
                    well_formed);
            const auto payload = "a1" + std::string{"6178"} +
                                 to_hex(std::array{static_cast<std::byte>(0x60 + text.size())}) +
                                 to_hex(bytes_of(text));
            REQUIRE(from_cbor<nothing>(payload).has_value() == well_formed);
        }
    }
}

TEST_CASE("json: the first and the last character of each length in RFC 3629") {
    for (const char letter : {'\x20', '\x7f'}) check_utf8(std::string(1, letter), true);
    check_utf8(as_bytes({0xc2, 0x80}), true);              // U+0080
    check_utf8(as_bytes({0xdf, 0xbf}), true);              // U+07FF
    check_utf8(as_bytes({0xe0, 0xa0, 0x80}), true);        // U+0800
    check_utf8(as_bytes({0xed, 0x9f, 0xbf}), true);        // U+D7FF
    check_utf8(as_bytes({0xee, 0x80, 0x80}), true);        // U+E000
    check_utf8(as_bytes({0xef, 0xbf, 0xbd}), true);        // U+FFFD
    check_utf8(as_bytes({0xef, 0xbf, 0xbf}), true);        // U+FFFF
    check_utf8(as_bytes({0xf0, 0x90, 0x80, 0x80}), true);  // U+10000
    check_utf8(as_bytes({0xf4, 0x8f, 0xbf, 0xbf}), true);  // U+10FFFF
    check_utf8(as_bytes({0xf4, 0x90, 0x80, 0x80}), false);
    check_utf8(as_bytes({0xed, 0xa0, 0x80}), false);                    // U+D800
    check_utf8(as_bytes({0xed, 0xbf, 0xbf}), false);                    // U+DFFF
    check_utf8(as_bytes({0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80}), false);  // as a pair
    // Longer than need be: "/", U+007F, U+07FF, U+FFFF and U+0000.
    check_utf8(as_bytes({0xc0, 0xaf}), false);
    check_utf8(as_bytes({0xc1, 0xbf}), false);
    check_utf8(as_bytes({0xe0, 0x80, 0xaf}), false);
    check_utf8(as_bytes({0xe0, 0x9f, 0xbf}), false);
    check_utf8(as_bytes({0xf0, 0x80, 0x80, 0xaf}), false);
    check_utf8(as_bytes({0xf0, 0x8f, 0xbf, 0xbf}), false);
    check_utf8(as_bytes({0xc0, 0x80}), false);
    // Five and six bytes are no longer UTF-8.
    check_utf8(as_bytes({0xf8, 0x88, 0x80, 0x80, 0x80}), false);
    check_utf8(as_bytes({0xfc, 0x84, 0x80, 0x80, 0x80, 0x80}), false);
    check_utf8(as_bytes({0xfe}), false);
    check_utf8(as_bytes({0xff}), false);
}

TEST_CASE("json: RFC 3629's own examples") {
    check_utf8(as_bytes({0x41, 0xe2, 0x89, 0xa2, 0xce, 0x91, 0x2e}), true);
    check_utf8(as_bytes({0xed, 0x95, 0x9c, 0xea, 0xb5, 0xad, 0xec, 0x96, 0xb4}), true);
    check_utf8(as_bytes({0xe6, 0x97, 0xa5, 0xe6, 0x9c, 0xac, 0xe8, 0xaa, 0x9e}), true);
    check_utf8(as_bytes({0xef, 0xbb, 0xbf, 0xf0, 0xa3, 0x8e, 0xb4}), true);
}

TEST_CASE("json: bytes outside of a string that are no ASCII are refused") {
    for (unsigned byte = 0x80; byte < 0x100; ++byte) {
        const std::string one(1, static_cast<char>(byte));
        CHECK(!from_json<id_only>(one + R"({"id":1})"));
        CHECK(!from_json<id_only>(R"({"id":1})" + one));
        CHECK(!from_json<id_only>(R"({"id":)" + one + "1}"));
        CHECK(!from_json<id_only>(R"({"id":1)" + one + "}"));
        CHECK(!from_json<id_only>(R"({)" + one + R"("id":1})"));
    }
    CHECK(!from_json<id_only>("{\"id\":\u00a0 1}"));
    CHECK(!from_json<id_only>("{\"id\":1}\u2028"));
}

TEST_CASE("json: every escape of one letter, and no other") {
    constexpr std::string_view known = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    for (unsigned letter = 0x20; letter < 0x7f; ++letter) {
        if (letter == 'u') continue;
        const std::string text{'\\', static_cast<char>(letter)};
        CAPTURE(text);
        const std::size_t index = known.find(static_cast<char>(letter));
        for (const std::string_view around : {"", "a", "\\\\", "0123456789012345678901234567890"}) {
            const auto got = read(std::string{around} + text + "z");
            if (index == std::string_view::npos) {
                CHECK(!got);
            } else {
                const std::string front{around == "\\\\" ? "\\" : around};
                CHECK(got == front + meant[index] + "z");
            }
        }
    }
    CHECK(!read("\\"));
    CHECK(!read("a\\"));
    CHECK(read("\\\\") == "\\");
    CHECK(!read("\\\\\\"));
    CHECK(!read("\\\n"));
    CHECK(!read("\\\xC3\xA9"));
}

std::string escaped(unsigned unit, bool upper) {
    std::string text = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        text += (upper ? "0123456789ABCDEF" : "0123456789abcdef")[unit >> shift & 0xf];
    return text;
}

std::string utf8_of(unsigned code) {
    if (code < 0x80) return as_bytes({code});
    if (code < 0x800) return as_bytes({0xc0 | code >> 6, 0x80 | (code & 0x3f)});
    if (code < 0x10000)
        return as_bytes({0xe0 | code >> 12, 0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f)});
    return as_bytes({0xf0 | code >> 18, 0x80 | (code >> 12 & 0x3f), 0x80 | (code >> 6 & 0x3f),
                     0x80 | (code & 0x3f)});
}

TEST_CASE("json: \\u stands for each of its 65,536 units, except a surrogate alone") {
    for (unsigned unit = 0; unit < 0x10000; ++unit) {
        const auto got = from_json<std::string>('"' + escaped(unit, unit % 2 == 0) + '"');
        const bool surrogate = unit >= 0xd800 && unit <= 0xdfff;
        if (got.has_value() == surrogate || (got && *got != utf8_of(unit))) {
            CAPTURE(unit);
            REQUIRE(got == utf8_of(unit));
        }
    }
    CHECK(read("\\u0000")->size() == 1);
    CHECK(read("a\\u0000b") == std::string("a\0b", 3));
}

TEST_CASE("json: a pair of surrogates is one character, in this order alone") {
    for (const unsigned high : {0xd800U, 0xd801U, 0xd83dU, 0xdabcU, 0xdbffU}) {
        for (const unsigned low : {0xdc00U, 0xdc01U, 0xde00U, 0xdfffU}) {
            CAPTURE(high);
            CAPTURE(low);
            const std::string first = escaped(high, true);
            const std::string second = escaped(low, false);
            const std::string both = utf8_of(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            CHECK(read(first + second) == both);
            CHECK(read("a" + first + second + "z") == "a" + both + "z");
            CHECK(read(first + second + first + second) == both + both);
            for (const std::string& wrong : {first,
                                             second,
                                             second + first,
                                             first + first,
                                             second + second,
                                             first + "a",
                                             first + "\\n",
                                             first + "\\u0041",
                                             first + "x" + second,
                                             first + " " + second,
                                             first + "\\" + second,
                                             first + first + second,
                                             first + second + second,
                                             second + first + second,
                                             "a" + first,
                                             first + "\\u",
                                             first + "\\ud",
                                             first + "\\udc",
                                             first + "\\udc0",
                                             first + "\\uD",
                                             first + "\\ue000",
                                             first + "\\ud7ff"}) {
                CAPTURE(wrong);
                CHECK(!read(wrong));
            }
        }
    }
}

TEST_CASE("json: \\u wants four hexadecimal digits") {
    for (const std::string_view text :
         {"\\u",         "\\u0",      "\\u00",   "\\u004",  "\\u004 ", "\\u 041",
          "\\u+041",     "\\u-041",   "\\u00 1", "\\u0x41", "\\u004g", "\\ug041",
          "\\u00:1",     "\\u00/1",   "\\u00@1", "\\u00`1", "\\u00G1", "\\U0041",
          "\\u{41}",     "\\u{0041}", "\\x41",   "\\101",   "\\0",     "\\u\xC3\xA9\xC3\xA9",
          "\\u00\\u0041"}) {
        CAPTURE(text);
        CHECK(!read(text));
    }
    CHECK(read("\\u00410") == "A0");
    CHECK(read("\\\\u0041") == "\\u0041");
}

TEST_CASE("json: control characters are escaped, or an error") {
    for (unsigned code = 0; code < 0x20; ++code) {
        const std::string raw(1, static_cast<char>(code));
        CAPTURE(code);
        for (const std::size_t before : {0, 1, 31, 40, 63, 64})
            CHECK(!read(std::string(before, 'a') + raw + "z"));
        CHECK(!from_json<id_only>("{\"id\":1,\"x\":\"a" + raw + "\"}"));
        CHECK(!from_json<id_only>("{\"i" + raw + "d\":1}"));
        CHECK(read(escaped(code, true)) == raw);
        CHECK(from_json<std::string>(to_json(raw)) == raw);
        // Between tokens, only four of them are spaces.
        const bool space = raw.find_first_of(" \t\r\n") != std::string::npos;
        CHECK(from_json<id_only>("{" + raw + "\"id\"" + raw + ":1" + raw + "}").has_value() ==
              space);
        CHECK(from_json<id_only>("{\"id\":1}" + raw).has_value() == space);
        CHECK(from_json<id_only>(raw + "{\"id\":1}").has_value() == space);
    }
    CHECK(read("\x7f") == "\x7f");
}

TEST_CASE("json: a key is what its escapes stand for") {
    for (const std::string_view key :
         {"key", "\\u006bey", "k\\u0065y", "ke\\u0079", "\\u006B\\u0065\\u0079"}) {
        CAPTURE(key);
        const auto got = from_json<quoted_key>("{\"" + std::string{key} + "\":7}");
        REQUIRE(got);
        CHECK(got->key == 7);
        CHECK(!from_json<quoted_key>("{\"" + std::string{key} + "\":7,\"key\":7}"));
        CHECK(!from_json<quoted_key>("{\"key\":7,\"" + std::string{key} + "\":7}"));
    }
    for (const std::string_view other :
         {"Key", "ke", "keyy", "key ", " key", "k\\u0000ey", "key\\u0000", "", "\\\"key", "key\\\"",
          "\\u006aey", "\\\\u006bey"}) {
        CAPTURE(other);
        CHECK(!from_json<quoted_key>("{\"" + std::string{other} + "\":7}"));
        CHECK(from_json<quoted_key>("{\"" + std::string{other} + "\":8,\"key\":7}")->key == 7);
    }
}

TEST_CASE("json: an escape that is wrong makes a read key an error") {
    for (const std::string_view key : {"\\x", "\\u00", "\\ud800", "\\udc00\\ud800", "\\"}) {
        CAPTURE(key);
        CHECK(!from_json<quoted_key>("{\"key\":7,\"" + std::string{key} + "\":8}"));
    }
}

}  // namespace json_text
