#include "demo/input.hpp"

#include <doctest/doctest.h>

using namespace std::string_view_literals;
using demo::parse_input;
using payments::answer;

namespace {

constexpr auto good = R"({"order":7,"customer":"harbour-books","lines":[]})"sv;

std::string with_provider(std::string_view script) {
    return R"({"order":7,"customer":"harbour-books","lines":[],"provider":)" + std::string{script} +
           "}";
}

std::vector<demo::request_line> parsed(std::string_view bytes) {
    auto lines = parse_input("in", bytes);
    REQUIRE(lines);
    return *lines;
}

}  // namespace

TEST_CASE("a line is a request with the provider's answers") {
    const auto lines = parsed(
        R"({"order": 1017, "customer": "harbour-books", "lines": [{"sku": "door-mat", "quantity": 2, "cents": 1990}], "provider": ["busy", "unavailable", "declined", "ok"]})"
        "\n");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].number == 1);
    CHECK(lines[0].request ==
          payments::payment_request{1017, "harbour-books", {{"door-mat", 2, 1990}}});
    CHECK(lines[0].answers ==
          std::vector{answer::busy, answer::unavailable, answer::declined, answer::ok});
}

TEST_CASE("a line without answers has none") {
    for (const auto& line : {std::string{good}, with_provider("[]"), with_provider("null")}) {
        const auto lines = parsed(line);
        REQUIRE(lines.size() == 1);
        CHECK(lines[0].request);
        CHECK(lines[0].answers.empty());
    }
}

TEST_CASE("blank lines are left out and count") {
    const auto lines = parsed("\n \t\n" + std::string{good} + "\n\n" + std::string{good});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].number == 3);
    CHECK(lines[1].number == 5);
    CHECK(parsed("").empty());
    CHECK(parsed("\r\n\n").empty());
}

TEST_CASE("the line ends of Windows and a byte order mark are no part of a line") {
    const auto lines =
        parsed("\xef\xbb\xbf" + std::string{good} + "\r\n" + std::string{good} + "\r\n");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].request);
    CHECK(lines[0].text == good);
    CHECK(lines[1].text == good);
}

TEST_CASE("a line that is no request is kept as it is") {
    for (const auto text : {"not json"sv, "{\"order\": 1"sv, "[]"sv, "{}"sv, "null"sv,
                            "\xff\xfe\0z"sv, R"({"order":-1,"customer":"c","lines":[]})"sv,
                            R"({"order":18446744073709551616,"customer":"c","lines":[]})"sv,
                            R"({"order":7,"order":7,"customer":"c","lines":[]})"sv,
                            R"({"order":7,"customer":"c","lines":[],"provider":"ok"})"sv}) {
        const auto lines = parsed(text);
        REQUIRE(lines.size() == 1);
        CHECK_FALSE(lines[0].request);
        CHECK(lines[0].text == text);
    }
}

TEST_CASE("the largest numbers are read") {
    const auto lines = parsed(
        R"({"order":18446744073709551615,"customer":"c","lines":[{"sku":"s","quantity":4294967295,"cents":18446744073709551615}]})");
    REQUIRE(lines[0].request);
    CHECK(lines[0].request->order == 18446744073709551615U);
    CHECK(lines[0].request->lines[0].quantity == 4294967295U);
}

TEST_CASE("an answer that no provider gives is refused by line and word") {
    const auto lines =
        parse_input("in.jsonl", std::string{good} + "\n" + with_provider(R"(["bussy"])") + "\n" +
                                    with_provider(R"(["ok","\u001bhm"])"));
    REQUIRE_FALSE(lines);
    REQUIRE(lines.error().size() == 2);
    CHECK(lines.error()[0].message() ==
          "in.jsonl, line 2: the provider cannot answer \"bussy\". Its answers are ok, busy, "
          "unavailable and declined");
    CHECK(lines.error()[1].where == "in.jsonl, line 3");
    CHECK(lines.error()[1].what == R"(the provider cannot answer "\x1bhm")");
}

TEST_CASE("a file that cannot be read is a sentence") {
    const auto missing = demo::read_input("no/such/file.jsonl");
    REQUIRE_FALSE(missing);
    CHECK(missing.error()[0].message() ==
          "no/such/file.jsonl: the input cannot be read (No such file or directory). Name a file "
          "with one JSON object a line, like examples/payments/requests.jsonl");
    CHECK_FALSE(demo::read_input("examples"));
}

TEST_CASE("what is printed cannot command a terminal") {
    CHECK(demo::printable("plain, Ünïcode €", 100) == "plain, Ünïcode €");
    CHECK(demo::printable("\x1b[31m\n\x7f", 100) == R"(\x1b[31m\x0a\x7f)");
    CHECK(demo::printable("\xc2\x9b"
                          "31m",
                          100) == R"(\xc2\x9b31m)");
    CHECK(demo::printable("\xff\xc0\x80\xed\xa0\x80", 100) == R"(\xff\xc0\x80\xed\xa0\x80)");
    CHECK(demo::printable("0123456789", 4) == "0123... (6 more bytes)");
}
