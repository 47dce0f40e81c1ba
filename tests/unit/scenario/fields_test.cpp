#include "scenario/fields.hpp"

#include "scenario/mistakes.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace std::chrono_literals;
namespace scenario = waybill::scenario;
using scenario::duration_of;

namespace {

/// Takes an object apart and lists what was wrong.
template <class Take>
std::string wrong_in(std::string_view text, const Take& take) {
    const auto value = scenario::json::parse(text).value();
    std::vector<scenario::mistake> mistakes;
    scenario::entry{value, "$", mistakes}.object(take);
    std::string all;
    for (const auto& each : mistakes) {
        all += (all.empty() ? "" : "\n") + each.path + ": " + each.what;
    }
    return all;
}

std::string hint(std::string_view name, std::vector<std::string_view> allowed) {
    return scenario::hint_for(name, allowed);
}

}  // namespace

TEST_CASE("a duration is an integer and its unit") {
    CHECK(duration_of("5ns") == 5ns);
    CHECK(duration_of("100us") == 100us);
    CHECK(duration_of("1500ms") == 1500ms);
    CHECK(duration_of("30s") == 30s);
    CHECK(duration_of("2m") == 2min);
    CHECK(duration_of("1h") == 1h);
    CHECK(duration_of("7d") == 168h);
    CHECK(duration_of("0s") == 0s);
    CHECK(duration_of("007s") == 7s);
}

TEST_CASE("what is no duration gives nothing") {
    for (const auto* const text : {"", "s", "5", "5 s", " 5s", "5s ", "5S", "-5s", "+5s", "1.5s",
                                   "5sec", "5s5", "1e3s", "0x5s", "99999999999999999999s"}) {
        CAPTURE(text);
        CHECK(duration_of(text) == std::nullopt);
    }
}

TEST_CASE("a duration ends at 292 years") {
    CHECK(duration_of("36500d") == 24h * 36500);
    CHECK(duration_of("106751d") == 24h * 106751);
    CHECK(duration_of("106752d") == std::nullopt);
    CHECK(duration_of("9223372036854775807ns") == std::chrono::nanoseconds::max());
    CHECK(duration_of("9223372036854775808ns") == std::nullopt);
}

TEST_CASE("members are taken by name and type") {
    const auto wrong =
        wrong_in(R"({"t": "a", "b": true, "c": 3, "i": -3, "d": "30s", "w": "two", "x": null})",
                 [](scenario::fields& from) {
                     CHECK(from.text("t") == "a");
                     CHECK(from.boolean("b") == true);
                     CHECK(from.count("c") == 3);
                     CHECK(from.integer("i") == -3);
                     CHECK(from.duration("d") == 30s);
                     CHECK(from.choice("w", {"one", "two"}) == 1);
                     CHECK(from.need("x")->is().is_null());
                     CHECK(from.text("absent") == std::nullopt);
                     CHECK_FALSE(from.take("absent"));
                 });
    CHECK(wrong == "");
}

TEST_CASE("a member of another type is a mistake that shows what is there") {
    const auto wrong =
        wrong_in(R"({"t": 1, "b": "yes", "c": -1, "i": 1.5, "d": 30, "l": {}, "o": [], "n": "5"})",
                 [](scenario::fields& from) {
                     CHECK(from.text("t") == std::nullopt);
                     CHECK(from.boolean("b") == std::nullopt);
                     CHECK(from.count("c") == std::nullopt);
                     CHECK(from.integer("i") == std::nullopt);
                     CHECK(from.duration("d") == std::nullopt);
                     CHECK_FALSE(from.take("l")->list([](const auto&) {}));
                     CHECK_FALSE(from.take("o")->object([](auto&) {}));
                     CHECK(from.count("n") == std::nullopt);
                 });
    CHECK(wrong ==
          "$.t: this must be text, not 1\n"
          "$.b: this must be true or false, not \"yes\"\n"
          "$.c: this must be an integer of 0 or more, not -1\n"
          "$.i: this must be an integer, not 1.5\n"
          "$.d: this must be a duration, an integer with ns, us, ms, s, m, h or d and below 292 "
          "years, not 30\n"
          "$.l: this must be a list, not an object\n"
          "$.o: this must be an object, not a list\n"
          "$.n: this must be an integer of 0 or more, not \"5\"");
}

TEST_CASE("an integer above 63 bits is the largest, where it is checked elsewhere") {
    wrong_in(R"({"i": 18446744073709551615})", [](scenario::fields& from) {
        CHECK(from.integer("i") == std::numeric_limits<std::int64_t>::max());
    });
}

TEST_CASE("a member that is needed and absent is a mistake of its object") {
    CHECK(wrong_in("{}", [](scenario::fields& from) { CHECK_FALSE(from.need("to")); }) ==
          "$: \"to\" is missing");
}

TEST_CASE("a key that nobody took is a mistake with the name that was meant") {
    CHECK(wrong_in(R"({"max_atempts": 4, "concurrency": 1})", [](scenario::fields& from) {
              (void)from.count("max_attempts");
              (void)from.count("concurrency");
          }) == R"($.max_atempts: unknown key "max_atempts": did you mean "max_attempts"?)");
    CHECK(wrong_in(R"({"zebra": 4})", [](scenario::fields& from) {
              (void)from.text("to");
              (void)from.text("payload");
          }) == R"($.zebra: unknown key "zebra"; allowed: "to", "payload")");
}

TEST_CASE("the nearest name is meant, within a third of the letters") {
    CHECK(hint("nmae", {"source", "name"}) == ": did you mean \"name\"?");
    CHECK(hint("Name", {"source", "name"}) == ": did you mean \"name\"?");
    CHECK(hint("deadletter", {"dead_letter", "reply_to"}) == ": did you mean \"dead_letter\"?");
    CHECK(hint("ot", {"to", "name"}) == ": did you mean \"to\"?");
    CHECK(hint("retries", {"retry_to", "name"}) == "; allowed: \"retry_to\", \"name\"");
    CHECK(hint("x", {"to"}) == "; allowed: \"to\"");
    CHECK(hint("", {"to"}) == "; allowed: \"to\"");
    CHECK(hint("anything", {}) == "");
    CHECK(hint("zebra", {"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"}) == "");
}

TEST_CASE("paths name members and elements, with quotes where a name is no word") {
    CHECK(scenario::path_of_member("$", "steps") == "$.steps");
    CHECK(scenario::path_of_member("$.a", "b c") == "$.a[\"b c\"]");
    CHECK(scenario::path_of_member("$", "") == "$[\"\"]");
    CHECK(scenario::path_of_member("$", "a.b") == "$[\"a.b\"]");
    CHECK(scenario::path_of_member("$", "\"") == "$[\"\\\"\"]");
    CHECK(scenario::path_of_element("$.steps", 12) == "$.steps[12]");
    CHECK(scenario::path_of_member("$", std::string(1000, 'x')).size() < 100);
}
