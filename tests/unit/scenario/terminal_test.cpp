#include "scenario/terminal.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace waybill::scenario;

TEST_CASE("a plain text stays as it is") {
    for (const std::string text : {"", "a b", "\"é\" \\ /", "日本", "e\xCC\x81"}) {
        CHECK(harmless(text) == text);
    }
}

TEST_CASE("whatever could command a terminal is written out") {
    CHECK(harmless("\033[2J") == "\\u001b[2J");
    CHECK(harmless("\xC2\x9B"
                   "2J") == "\\u009b2J");
    CHECK(harmless("a\nb\r\tc") == "a\\nb\\r\\tc");
    CHECK(harmless(std::string_view{"\0\a\b\x7F", 4}) == "\\u0000\\u0007\\u0008\\u007f");
    CHECK(harmless("\xE2\x80\xAE"
                   "gnp") == "\\u202egnp");
    CHECK(harmless("\xE2\x80\xA8") == "\\u2028");
    CHECK(harmless("\xEF\xBB\xBF") == "\\ufeff");
}

TEST_CASE("no byte alone, and no pair of them, reaches the terminal as a control character") {
    const auto commands = [](const std::string& text) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            const auto byte = static_cast<unsigned char>(text[at]);
            if (byte < 0x20 || byte == 0x7F) return true;
            const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
            if (byte == 0xC2 && next >= 0x80 && next <= 0x9F) return true;
        }
        return false;
    };
    for (int first = 0; first < 256; ++first) {
        CHECK(!commands(harmless(std::string{static_cast<char>(first)})));
        for (int second = 0; second < 256; ++second) {
            const std::string two{static_cast<char>(first), static_cast<char>(second)};
            if (commands(harmless(two))) FAIL(first << ' ' << second);
        }
    }
}

TEST_CASE("what is not UTF-8 becomes U+FFFD, byte by byte") {
    CHECK(harmless("a\xFF\xFE") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(harmless("\x9B") == "\xEF\xBF\xBD");
}

TEST_CASE("a text has as many columns as a terminal gives it") {
    CHECK(columns_of("") == 0);
    CHECK(columns_of("abc") == 3);
    CHECK(columns_of("é…") == 2);
    CHECK(columns_of("日本") == 4);
    CHECK(columns_of("e\xCC\x81") == 1);
    CHECK(columns_of("\xF0\x9F\x93\xA6") == 2);
}

TEST_CASE("a cut falls between characters and takes no more columns than it may") {
    CHECK(cut_to("abcdef", 6) == "abcdef");
    CHECK(cut_to("abcdef", 4) == "abc…");
    CHECK(cut_to("日本語", 4) == "日…");
    CHECK(cut_to("ééé", 2) == "é…");
    CHECK(cut_to("abc", 1) == "…");
}

TEST_CASE("texts are padded to columns, not to bytes") {
    CHECK(to_left("é", 3) == "é  ");
    CHECK(to_right("日", 3) == " 日");
    CHECK(to_left("abc", 2) == "abc");
}

TEST_CASE("words are put in lines, and a word that is too long has one of its own") {
    CHECK(in_lines("", 10) == std::vector<std::string>{""});
    CHECK(in_lines("aa bb cc", 5) == std::vector<std::string>{"aa bb", "cc"});
    CHECK(in_lines("a bbbbbbbb c", 4) == std::vector<std::string>{"a", "bbbbbbbb", "c"});
}

TEST_CASE("colour is for a terminal that can, unless NO_COLOR is set to something") {
    CHECK(wants_colour(true, nullptr, "xterm"));
    CHECK(wants_colour(true, "", "xterm"));
    CHECK(!wants_colour(true, "1", "xterm"));
    CHECK(!wants_colour(false, nullptr, "xterm"));
    CHECK(!wants_colour(true, nullptr, "dumb"));
    CHECK(!wants_colour(true, nullptr, nullptr));
    CHECK(paint{true}(colour::red, "a") == "\033[31ma\033[0m");
    CHECK(paint{false}(colour::red, "a") == "a");
}
