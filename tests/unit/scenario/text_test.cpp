#include "scenario/text.hpp"

#include "played.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

using namespace waybill::scenario;

namespace {

/// What a table prints.
std::string printed(const std::function<void(text_table&)>& with, bool is_coloured = false) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const to = open_memstream(&text, &size);
    REQUIRE(to != nullptr);
    {
        text_table table{to, is_coloured};
        with(table);
    }
    std::fclose(to);
    std::string made{text, size};
    std::free(text);
    return made;
}

std::string printed_run(const std::string& file, bool is_coloured = false) {
    const auto run = support::play_text(file);
    return printed(
        [&](text_table& table) {
            table.begin(run.told);
            for (const auto& line : run.lines) table.see(line);
        },
        is_coloured);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The only line with this in it.
std::string line_with(const std::string& text, std::string_view part) {
    std::string found;
    for (const auto& line : lines_of(text)) {
        if (line.find(part) == line.npos) continue;
        CHECK(found.empty());
        found = line;
    }
    CHECK(!found.empty());
    return found;
}

/// Beginning with which column the part stands in its line.
std::size_t column_of(const std::string& text, std::string_view part) {
    const auto line = line_with(text, part);
    return columns_of(line.substr(0, line.find(part)));
}

constexpr auto two_names = R"({"name": "two", "transport": "memory", "subscriptions": [
    {"name": "a", "source": {"name": "in"}, "max_attempts": 3, "dead_letter": "dead",
     "backoff": {"fixed": "90s"}, "handler": ["retry"]},
    {"name": "überprüfung", "source": {"name": "dead"}}],
    "steps": [{"publish": {"to": "in", "payload": "v"}}, {"advance": "1h"}]})";

}  // namespace

TEST_CASE("a delivery, its answer and its settlement are one row") {
    const auto text = printed_run(two_names);
    CHECK(line_with(text, "delivery 1  \"v\"  → retry  requeued").starts_with("           a "));
    CHECK(line_with(text, "delivery 2  \"v\"  → retry  requeued").starts_with("      90s  a "));
}

TEST_CASE("columns line up by characters, whatever the subscriptions are called") {
    const auto text = printed_run(two_names);
    const auto at = column_of(text, "published to in");
    CHECK(at == 9 + 2 + 11 + 2);
    CHECK(column_of(text, "delivery 2  ") == at);
    CHECK(column_of(text, "dead letter to dead") == at);
    CHECK(column_of(text, "delivery 1  \"v\"  → ack") == at);
}

TEST_CASE("the same moment is said once, and time in units of people") {
    const auto text = printed_run(two_names);
    CHECK(line_with(text, "published to in").starts_with("            "));
    CHECK(line_with(text, "delivery 3  \"v\"  → retry").starts_with("       3m  a "));
    CHECK(line_with(text, "ended at 1h") == "ended at 1h");
}

TEST_CASE("the end is a table of counts") {
    const auto lines = lines_of(printed_run(two_names));
    const auto heading = std::ranges::find_if(
        lines, [](const auto& line) { return line.starts_with("subscription"); });
    REQUIRE(lines.end() - heading == 6);
    CHECK(heading[0] == "subscription  deliveries  accepted  requeued");
    CHECK(heading[1] == "a                      3         1         2");
    CHECK(heading[2] == "überprüfung            1         1         -");
    CHECK(heading[3].empty());
    CHECK(heading[4] == "address  published  queued");
    CHECK(heading[5] == "dead             1       -");
}

TEST_CASE("what waits at the end is said") {
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [
        {"name": "a", "source": {"name": "in"}, "handler": ["retry_after 1h"]}],
        "steps": [{"publish": {"to": "in", "times": 2}}]})");
    CHECK(line_with(text, "2 messages wait for their time.").size() == 31);
}

TEST_CASE("an answer that comes later names its delivery") {
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [
        {"name": "a", "source": {"name": "in"}, "handler": [{"takes": "5s", "then": "ack"}]}],
        "steps": [{"publish": {"to": "in", "payload": "v"}}, {"advance": "1m"}]})");
    CHECK(line_with(text, "→ ack") == "       5s  a  delivery 1  → ack  accepted");
}

TEST_CASE("nothing that a file or a message holds reaches the terminal as a command") {
    const auto file = R"({"name": "n\u001b]0;x\u0007", "transport": "memory", "subscriptions": [
        {"name": "a", "source": {"name": "in.>"}, "max_attempts": 1,
         "dead_letter": "de\u009b2Jad", "handler": ["retry"]}],
        "steps": [
          {"publish": {"to": "in.\u202ex\u007f", "payload": "\u001b[2J\n\r\u009b31m\u0000"}},
          {"publish": {"to": "in.y", "payload_base64": "G1sySv8="}}]})";
    for (const bool is_coloured : {false, true}) {
        auto text = printed_run(file, is_coloured);
        // The only commands are the colours of this program.
        for (const std::string own : {"[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[35m"}) {
            for (auto at = text.find('\033' + own); at != text.npos; at = text.find('\033' + own)) {
                CHECK(is_coloured);
                text.erase(at, own.size() + 1);
            }
        }
        CHECK(std::ranges::none_of(text, [](char letter) {
            const auto byte = static_cast<unsigned char>(letter);
            return (byte < 0x20 && byte != '\n') || byte == 0x7F;
        }));
        CHECK(text.find("\xC2\x9B") == text.npos);
        CHECK(text.find("\xE2\x80\xAE") == text.npos);
        CHECK(lines_of(text).size() < 25);
    }
}

TEST_CASE("a long payload is cut, between characters") {
    std::string payload;
    for (int at = 0; at < 100'000; ++at) payload += "é";
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [],
        "steps": [{"publish": {"to": "in", "payload": ")" +
                                  payload + R"("}}]})");
    const auto line = line_with(text, "published to in");
    CHECK(columns_of(line) < 80);
    CHECK(line.ends_with("é…"));
}

TEST_CASE("a payload that is JSON stands as it is, any other in quotes") {
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [], "steps": [
        {"publish": {"to": "a", "payload": "{\"id\": 1}"}},
        {"publish": {"to": "b", "payload": "{\"id\": \u001b"}},
        {"publish": {"to": "c", "payload": "["}}]})");
    CHECK(line_with(text, "to a").ends_with(R"(to a  {"id": 1})"));
    CHECK(line_with(text, "to b").ends_with(R"(to b  "{\"id\": \u001b")"));
    CHECK(line_with(text, "to c").ends_with(R"(to c  "[")"));
}

TEST_CASE("every line of a table fits the page, whatever the names are") {
    const std::string name(500, 'n');
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [
        {"name": ")" + name + R"(", "source": {"name": ")" +
                                  name + R"("}, "max_attempts": 1, "dead_letter": "d)" + name +
                                  R"(", "handler": ["retry"]}],
        "steps": [{"publish": {"to": ")" +
                                  name + R"("}}]})");
    for (const auto& line : lines_of(text)) CHECK(columns_of(line) < 180);
}

TEST_CASE("colours are there only where they are wanted") {
    CHECK(printed_run(two_names).find('\033') == std::string::npos);
    const auto text = printed_run(two_names, true);
    CHECK(text.find("\033[33m→ retry\033[0m  \033[2mrequeued\033[0m") != text.npos);
    CHECK(text.find("\033[31mdead letter to dead\033[0m") != text.npos);
    CHECK(text.find("\033[32m→ ack\033[0m") != text.npos);
}

TEST_CASE("a service that starts anew says what it comes to once") {
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [
        {"name": "a", "source": {"name": "in"}}], "steps": [{"crash": {}}, {"restart": {}}]})");
    CHECK(!line_with(text, "started: counted by broker+header").empty());
    CHECK(!line_with(text, "started again").empty());
}

TEST_CASE("a refused service has a list of its problems, each with its fix, and no table") {
    const auto text = printed_run(R"({"transport": "memory", "subscriptions": [
        {"name": "a", "source": {"name": "in"}, "max_attempts": 0}]})");
    const auto lines = lines_of(text);
    CHECK(lines.at(0) == "The service is refused: 1 problem.");
    CHECK(lines.at(2) == "  a");
    CHECK(lines.at(3).find("max_attempts(0) cannot be") != std::string::npos);
    CHECK(text.find("give 1 or more") != text.npos);
    CHECK(text.find("ended") == text.npos);
}

TEST_CASE("the mistakes of a file stand beside their places, with what was probably meant") {
    const auto told = read(R"({"transprt": "memory", "subscriptions": [{"name": 3}]})");
    REQUIRE(!told);
    const auto lines = lines_of(text_of(told.error(), false));
    CHECK(lines.at(0).starts_with("The file is refused: "));
    const auto text = text_of(told.error(), false);
    CHECK(line_with(text, "did you mean \"transport\"?").starts_with("  $.transprt"));
    CHECK(column_of(text, "did you mean") > column_of(text, "unknown key"));
    CHECK(text.find('\033') == text.npos);
    CHECK(text_of(told.error(), true).find("\033[31m") != text.npos);
}

TEST_CASE("a mistake in a hostile name is shown harmless") {
    const auto told = read("{\"transport\": \"memory\", \"\\u001b[2J\": 1, \"\\u009b\": 2}");
    REQUIRE(!told);
    const auto text = text_of(told.error(), false);
    CHECK(text.find('\033') == text.npos);
    CHECK(text.find("\xC2\x9B") == text.npos);
}
