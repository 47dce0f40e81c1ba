// A file is made smaller as long as what it shows is still shown.
#include "scenario/shrink.hpp"

#include "scenario/read.hpp"
#include "scenario/runner.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace waybill::scenario;

namespace shrinking {

json::value tree(std::string_view text) { return *json::parse(text); }

std::string shrunk(std::string_view text, const std::function<bool(const json::value&)>& is_so) {
    return json::to_text(shrink(tree(text), is_so));
}

bool holds(const json::value& file, std::string_view part) {
    return json::to_text(file).find(part) != std::string::npos;
}

}  // namespace shrinking

using namespace shrinking;

TEST_CASE("what does not matter is left out") {
    CHECK_EQ(shrunk(R"({"a":[1,2,{"b":"c"},3],"d":{"e":[]},"f":true})",
                    [](const auto& file) { return holds(file, "\"b\""); }),
             R"({"a":[{"b":"c"}]})");
}

TEST_CASE("numbers, durations and delays become as small as they may be") {
    const auto is_so = [](const json::value& file) {
        const auto* number = file.find("n");
        const auto* text = file.find("t");
        return number != nullptr && *number->integer() >= 7 && text != nullptr &&
               (holds(*text, "m") || holds(*text, "s"));
    };
    CHECK_EQ(shrunk(R"({"n":1000,"t":"3h"})", is_so), R"({"n":7,"t":"1ms"})");
    CHECK_EQ(
        shrunk(R"(["retry_after 30s"])", [](const auto& file) { return holds(file, "retry"); }),
        R"(["retry"])");
    CHECK_EQ(shrunk(R"(["retry_after 30s"])",
                    [](const auto& file) { return holds(file, "retry_after"); }),
             R"(["retry_after 1ms"])");
}

TEST_CASE("nothing is tried without end") {
    std::size_t tries = 0;
    const auto is_so = [&](const json::value&) {
        ++tries;
        return false;
    };
    const auto whole = tree(R"([1,2,3,4,5,6,7,8])");
    CHECK(shrink(whole, is_so, 5) == whole);
    CHECK_EQ(tries, 5);
}

TEST_CASE("a scenario keeps only what its dead letter needs") {
    constexpr std::string_view file = R"({"name": "much", "transport": "memory",
      "broker": {"capacity": 50},
      "subscriptions": [
        {"name": "other", "source": {"name": "b"}, "handler": ["drop", "ack"]},
        {"name": "one", "source": {"name": "a"}, "max_attempts": 2, "concurrency": 3,
         "dead_letter": "dead", "handler": ["retry", "retry_after 10s", "ack"]}],
      "steps": [{"publish": {"to": "b"}}, {"publish": {"to": "a", "times": 9}},
        {"advance": "30s"}, {"stop": {}}]})";
    const auto is_so = [](const json::value& smaller) {
        const auto told = read(json::to_text(smaller));
        if (!told) return false;
        const auto came = play(*told, [](const auto&) {});
        return came.problems.empty() && came.totals.published.contains("dead");
    };
    CHECK_EQ(shrunk(file, is_so),
             R"({"transport":"memory","subscriptions":[{"source":{"name":"a"},"max_attempts":1,)"
             R"("dead_letter":"dead","handler":["retry"]}],"steps":[{"publish":{"to":"a"}}]})");
}
