// What docs/scenarios.md and docs/simulate.md show is what the reader of scenario files takes.
#include "../../docs/table.hpp"
#include "scenario/read.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace waybill::scenario;

namespace {

constexpr auto format = "docs/scenarios.md";

std::vector<std::string> lines_of(const std::string& page) {
    std::ifstream in{page};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    REQUIRE(!lines.empty());
    return lines;
}

struct snippet {
    std::string mark;  ///< the line before it
    std::string text;
};

std::vector<snippet> snippets_of(const std::string& page) {
    std::vector<snippet> found;
    bool is_inside = false;
    std::string before;
    for (const auto& line : lines_of(page)) {
        if (!is_inside && line == "```json") {
            found.push_back({before, ""});
            is_inside = true;
        } else if (is_inside && line == "```") {
            is_inside = false;
        } else if (is_inside) {
            found.back().text += line + '\n';
        }
        before = line;
    }
    return found;
}

/// The first code of each row of the tables with that heading in their first column.
std::vector<std::string> codes_under(const std::string& heading) {
    std::vector<std::string> codes;
    bool is_inside = false;
    for (const auto& line : lines_of(format)) {
        if (line.starts_with("| " + heading + " |")) {
            is_inside = true;
        } else if (is_inside && !line.starts_with("|")) {
            is_inside = false;
        } else if (is_inside && !line.starts_with("|---")) {
            codes.push_back(documents::code_in(documents::cells_of(line).at(0)));
        }
    }
    REQUIRE(codes.size() > 1);
    return codes;
}

std::string mistakes_in(const std::string& file) {
    const auto told = read(file);
    if (told) return {};
    std::string all;
    for (const auto& each : told.error()) all += each.path + ": " + each.what + '\n';
    return all;
}

/// Does the reader know these keys of the object that begins so?
void know(const std::vector<std::string>& keys, const std::string& before,
          const std::string& behind) {
    for (const auto& key : keys) {
        CAPTURE(key);
        const auto said = mistakes_in(before + '"' + key + "\": 0" + behind);
        CHECK(said.find("unknown key") == std::string::npos);
    }
}

}  // namespace

TEST_CASE("every JSON snippet of the documents on scenarios is a file that is read, or refused") {
    int refused = 0;
    for (const std::string page : {"docs/scenarios.md", "docs/simulate.md"}) {
        for (const auto& each : snippets_of(page)) {
            CAPTURE(each.text);
            const bool is_wrong = each.mark.find("mistakes.json") != std::string::npos;
            CHECK(mistakes_in(each.text).empty() == !is_wrong);
            refused += is_wrong ? 1 : 0;
        }
    }
    CHECK(refused == 1);
}

TEST_CASE("the keys in the tables of the format are keys that the reader knows") {
    know(codes_under("key of the file"), "{", "}");
    know(codes_under("key of `broker`, memory"), R"({"transport": "memory", "broker": {)", "}}");
    know(codes_under("key of `broker`, rabbitmq"), R"({"transport": "rabbitmq", "broker": {)",
         "}}");
    know(codes_under("key of `expect`"), R"({"transport": "memory", "expect": {)", "}}");
    know(codes_under("key"), R"({"transport": "memory", "subscriptions": [{)", "}]}");
}

TEST_CASE("the outcomes in the table of the format are outcomes") {
    for (const auto& outcome : codes_under("outcome")) {
        CAPTURE(outcome);
        CHECK(mistakes_in(R"({"transport": "memory", "subscriptions": [
            {"source": {"name": "orders"}, "handler": [)" +
                          outcome + "]}]}")
                  .empty());
    }
}

TEST_CASE("the steps in the table of the format are steps") {
    for (const auto& step : codes_under("step")) {
        CAPTURE(step);
        CHECK(mistakes_in(R"({"transport": "memory", "steps": [)" + step + "]}").empty());
    }
}
