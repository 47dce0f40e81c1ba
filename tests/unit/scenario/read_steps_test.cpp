#include "samples.hpp"

#include <doctest/doctest.h>

using namespace scenario_samples;
using namespace std::chrono_literals;
namespace step = scenario::step;

namespace {

step::publish published(std::string_view members) {
    return step_of<step::publish>(R"({"publish": {"to": "q", )" + std::string{members} + "}}");
}

std::string wrong_step(std::string_view text) { return wrong_with(file_of_steps(text)); }

/// The mistakes of a publish with these members, below its place.
std::string wrong_publish(std::string_view members) {
    auto all =
        mistakes_of(file_of_steps(R"({"publish": {"to": "q", )" + std::string{members} + "}}"));
    const std::string place = "$.steps[0].publish";
    for (auto& each : all) {
        if (each.starts_with(place)) each.erase(0, place.size());
    }
    return joined(all);
}

}  // namespace

TEST_CASE("every step is read") {
    CHECK(step_of<step::publish>(R"({"publish": {"to": "q"}})").to == "q");
    CHECK(step_of<step::advance>(R"({"advance": "30s"})").by == 30s);
    CHECK_FALSE(step_of<step::stop>(R"({"stop": {}})").timeout);
    CHECK(step_of<step::stop>(R"({"stop": {"timeout": "5s"}})").timeout == 5s);
    step_of<step::crash>(R"({"crash": {}})");
    step_of<step::restart>(R"({"restart": {}})");
    step_of<step::drop_connection>(R"({"drop_connection": {}})");
    step_of<step::reconnect>(R"({"reconnect": {}})");
    CHECK(step_of<step::fail_publishes>(R"({"fail_publishes": {"to": "d", "times": 3}})").times ==
          3);
    CHECK(step_of<step::fail_publishes>(R"({"fail_publishes": {"to": "d"}})").to == "d");
    CHECK(step_of<step::remove>(R"({"delete": {"address": "q"}})").address == "q");
    step_of<step::restart_broker>(R"({"restart_broker": {}})");
}

TEST_CASE("what is no step is a mistake at its place") {
    CHECK(wrong_step("\"crash\"") == "$.steps[0]: this must be an object, not \"crash\"");
    CHECK(wrong_step("{}").starts_with("$.steps[0]: a step is one of"));
    CHECK(wrong_step(R"({"crash": {}, "restart": {}})") ==
          "$.steps[0]: a step is one thing, and here are 2");
    CHECK(wrong_step(R"({"publsih": {}})") ==
          R"($.steps[0].publsih: unknown key "publsih": did you mean "publish"?)");
    CHECK(wrong_step(R"({"crash": null})") == "$.steps[0].crash: this must be an object, not null");
    CHECK(wrong_step(R"({"crash": {"a": 1}})") == "$.steps[0].crash.a: unknown key \"a\"");
    CHECK(wrong_step(R"({"advance": {}})")
              .starts_with("$.steps[0].advance: this must be a duration"));
    CHECK(wrong_step(R"({"advance": "-5s"})") != "");
    CHECK(wrong_step(R"({"stop": {"timeout": 5}})").starts_with("$.steps[0].stop.timeout:"));
    CHECK(wrong_step(R"({"delete": {}})") == "$.steps[0].delete: \"address\" is missing");
    CHECK(wrong_step(R"({"fail_publishes": {"times": -1}})") ==
          "$.steps[0].fail_publishes: \"to\" is missing\n"
          "$.steps[0].fail_publishes.times: this must be an integer of 0 or more, not -1");
}

TEST_CASE("a hundred years pass, and a thousand do not") {
    CHECK(step_of<step::advance>(R"({"advance": "36500d"})").by == 36500 * 24h);
    CHECK(wrong_step(R"({"advance": "365000d"})").find("below 292 years") != std::string::npos);
}

TEST_CASE("a payload is text, base64 or a value, and else empty") {
    CHECK(step_of<step::publish>(R"({"publish": {"to": "q"}})").payload.empty());
    CHECK(text_of(published(R"("payload": "a\u0000b")").payload) == std::string("a\0b", 3));
    CHECK(text_of(published(R"("payload_base64": "/wA=")").payload) == std::string("\xFF\0", 2));
    CHECK(published(R"("payload_base64": "")").payload.empty());
    CHECK(published(R"("value": {"id": [1, {}]})").value ==
          scenario::json::parse(R"({"id":[1,{}]})").value());
    REQUIRE(published(R"("value": null)").value);
    CHECK_FALSE(published(R"("payload": "")").value);
}

TEST_CASE("a payload that cannot be is a mistake") {
    CHECK(wrong_publish(R"("payload": "a", "value": 1)") ==
          R"(: only one of "payload", "payload_base64" and "value" can be)");
    CHECK(wrong_publish(R"("payload": {})") == ".payload: this must be text, not an object");
    for (const std::string text :
         {"a", "ab=", "A===", "AB==", "AA=A", "AA\\n==", "-_==", "AAAA="}) {
        CAPTURE(text);
        CHECK(wrong_publish("\"payload_base64\": \"" + text + "\"") ==
              ".payload_base64: this is no base64, as in \"AAEC/w==\"");
    }
    CHECK(wrong_publish(R"("payload_base64": 1)") == ".payload_base64: this must be text, not 1");
}

TEST_CASE("headers keep their order, their doubles and their types") {
    const auto with = published(R"("headers": [["trace", "abc"], ["trace", ""], ["n", -5],
        ["big", 18446744073709551615], ["f", 1.5], ["t", true], ["u", false], ["z", null],
        ["b", {"base64": "/wA="}], ["waybill-id", "x"]])")
                          .with;
    const std::array bytes{std::byte{0xFF}, std::byte{0}};
    const waybill::headers wanted{{"trace", "abc"},
                                  {"trace", ""},
                                  {"n", -5},
                                  {"big", 18446744073709551615ULL},
                                  {"f", 1.5},
                                  {"t", true},
                                  {"u", false},
                                  {"z", nullptr},
                                  {"b", std::span<const std::byte>{bytes}},
                                  {"waybill-id", "x"}};
    CHECK(with == wanted);
    CHECK(published(R"("headers": [])").with.empty());
}

TEST_CASE("what is no header is a mistake") {
    const std::string pair =
        R"(.headers[0]: a header is a list of its name and its value, as in ["a", "b"])";
    CHECK(wrong_publish(R"("headers": [["a"]])") == pair);
    CHECK(wrong_publish(R"("headers": [["a", 1, 2]])") == pair);
    CHECK(wrong_publish(R"("headers": [[1, "a"]])") == pair);
    CHECK(wrong_publish(R"("headers": ["a"])") == pair);
    CHECK(wrong_publish(R"("headers": {"a": "b"})") ==
          ".headers: this must be a list, not an object");
    CHECK(wrong_publish(R"("headers": [["a", "b"], ["c", [1]]])")
              .starts_with(".headers[1][1]: a nested value needs a transport with types"));
    CHECK(wrong_publish(R"("headers": [["c", {"base64": "AA==", "x": 1}]])")
              .starts_with(".headers[0][1]: a nested value"));
    CHECK(wrong_publish(R"("headers": [["c", {"base64": "A"}]])") ==
          ".headers[0][1].base64: this is no base64, as in \"AAEC/w==\"");
    const std::string longest(65535, 'n');
    CHECK(wrong_publish("\"headers\": [[\"" + longest + "\", 1]]") == "");
    CHECK(wrong_publish("\"headers\": [[\"" + longest + "n\", 1]]") ==
          ".headers[0]: the name of a header has 65535 bytes at most");
}

TEST_CASE("memory knows a time to live") {
    CHECK(published(R"("properties": {"ttl": "5s"})").time_to_live == 5s);
    CHECK(published(R"("properties": {})").time_to_live == 0s);
    CHECK(wrong_publish(R"("properties": {"qos": 1})") ==
          R"(.properties.qos: unknown key "qos"; allowed: "ttl")");
    CHECK(
        wrong_publish(R"("properties": {"ttl": 5})").starts_with(".properties.ttl: this must be"));
}

TEST_CASE("a million messages are published at most") {
    CHECK(published(R"("times": 1000000)").times == 1'000'000);
    CHECK(wrong_publish(R"("times": 0)") == ".times: this must be 1 or more");
    CHECK(wrong_publish(R"("times": 1.5)") != "");
    const std::string too_many =
        ": with this step more than 1000000 messages are published, and that is the most";
    CHECK(wrong_publish(R"("times": 18446744073709551615)") == too_many);
    CHECK(wrong_step(R"({"publish": {"to": "q", "times": 600000}},
                        {"publish": {"to": "q", "times": 400000}},
                        {"publish": {"to": "q"}}, {"publish": {"to": "q"}})") ==
          "$.steps[2].publish" + too_many);
}

TEST_CASE("a million steps are read, and one more is not") {
    std::string steps;
    for (int at = 0; at < 1'000'000; ++at) steps += R"({"crash":{}},)";
    CHECK(read_well(file_of_steps(steps.substr(0, steps.size() - 1))).steps.size() == 1'000'000);
    CHECK(wrong_step(steps + R"({"crash": {}})") ==
          "$.steps: there are 1000001 steps, and at most 1000000 are played");
}
