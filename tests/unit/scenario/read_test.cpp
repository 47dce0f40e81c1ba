// What a whole file and its parts are read into, and each mistake with its place.
#include "samples.hpp"

#include <doctest/doctest.h>

using namespace scenario_samples;
using namespace std::chrono_literals;

TEST_CASE("the file that the format shows is read") {
    const auto read = read_well(R"({
      "name": "four attempts, then the dead letter",
      "transport": "memory",
      "broker": {"counts": "returns", "delays": false, "delivery_limit": 20,
                 "outlives_crash": true, "capacity": 7},
      "delay_store": "memory",
      "subscriptions": [
        {"name": "install",
         "source": {"name": "updates.install", "fan_out": true},
         "codec": "raw",
         "concurrency": 1,
         "max_attempts": 4,
         "dead_letter": "updates.dead",
         "handler": ["retry_after 30s", "retry", "retry"]}
      ],
      "steps": [
        {"publish": {"to": "updates.install", "payload": "v2", "headers": [["trace", "abc"]]}},
        {"advance": "30s"}
      ],
      "expect": {"deliveries": {"install": 4}, "published": {"updates.dead": 1}}
    })");
    CHECK(read.name == "four attempts, then the dead letter");
    CHECK(read.transport == "memory");
    const auto& how = dynamic_cast<const scenario::memory_broker&>(*read.broker).how;
    CHECK(how.counts == waybill::memory::counting::returns);
    CHECK_FALSE(how.delays);
    CHECK(how.delivery_limit == 20);
    CHECK(how.outlives_crash);
    CHECK(how.limit.messages == 7);
    CHECK(how.limit.full == waybill::memory::when_full::waits);
    REQUIRE(read.subscriptions.size() == 1);
    const auto& declared = read.subscriptions[0].declared;
    CHECK(declared.name == "install");
    CHECK(declared.from.transport == "memory");
    CHECK(declared.from.name == "updates.install");
    CHECK(declared.from.fan_out);
    CHECK(declared.max_attempts == 4);
    CHECK(declared.dead_letter == "updates.dead");
    CHECK(read.subscriptions[0].handler.size() == 3);
    CHECK(read.steps.size() == 2);
    CHECK(read.expect->deliveries.at("install") == 4);
    CHECK(read.expect->published.at("updates.dead") == 1);
}

TEST_CASE("what a file leaves out has its default") {
    const auto read = read_well(R"({"transport": "memory"})");
    CHECK(read.name == "");
    CHECK(read.subscriptions.empty());
    CHECK(read.steps.empty());
    CHECK_FALSE(read.expect);
    REQUIRE(read.broker);
    const auto& how = dynamic_cast<const scenario::memory_broker&>(*read.broker).how;
    CHECK(how.counts == waybill::memory::counting::failures);
    CHECK(how.delays);
    CHECK_FALSE(how.outlives_crash);
    CHECK(how.delivery_limit == 0);
    CHECK(how.limit.messages == 0);
}

TEST_CASE("a file that is no object or has no transport is refused") {
    CHECK(wrong_with("[]") == "$: this must be an object, not a list");
    CHECK(wrong_with("{}") == "$: \"transport\" is missing");
    CHECK(wrong_with(R"({"transport": 1})") == "$.transport: this must be text, not 1");
    CHECK(wrong_with("{\"transport\": \"memory\"") ==
          "$: this is no JSON: line 1, column 23: Missing a comma or '}' after an object member.");
    CHECK(wrong_with("{\"transport\": \"\xFF\"}").starts_with("$: this is no JSON: line 1"));
    CHECK(wrong_with(R"({"transport": "memory", "transport": "memory"})")
              .ends_with("has \"transport\" twice"));
}

TEST_CASE("a transport that is not built yet is refused, and nothing that follows from it") {
    for (const std::string name : {"amqp1", "mqtt", "pulsar"}) {
        const auto file = R"({"transport": ")" + name + R"(", "broker": {"version": "4.0"},
            "delay_store": "memory",
            "subscriptions": [{"source": {"queue": "q", "type": "quorum"}, "no_local": true,
                "routing": "strict", "dead_letter": {"exchange": "e", "key": "k"}}],
            "steps": [{"publish": {"to": {"exchange": "e"}, "headers": [["a", {"b": [1]}]],
                "properties": {"qos": 1}}}]})";
        CHECK(wrong_with(file) == "$.transport: transport \"" + name +
                                      "\" is not built yet; there is: memory, rabbitmq");
    }
    CHECK(wrong_with(R"({"transport": "rabitmq", "broker": {"version": "4.0"}})") ==
          R"($.transport: "rabitmq" is no transport: did you mean "rabbitmq"?)");
    CHECK(wrong_with(R"({"transport": "kafka"})") ==
          R"($.transport: "kafka" is no transport; allowed: "memory", "rabbitmq")");
}

TEST_CASE("every mistake is told at once, in the order of the file") {
    CHECK(wrong_with(R"({
        "steps": [{"advance": 30}, {"crash": {"hard": true}}, {"publish": {"payload": 1}}],
        "zebra": 1,
        "expect": {"waiting": -1},
        "subscriptions": [
            {"max_atempts": 4, "handler": ["ack", "retri", 7], "source": {"nmae": "q"}},
            {"source": {"name": "q"}, "concurrency": "two"}],
        "transport": "memory",
        "broker": {"counts": "all"}})") ==
          "$.steps[0].advance: this must be a duration, an integer with ns, us, ms, s, m, h or d "
          "and below 292 years, not 30\n"
          "$.steps[1].crash.hard: unknown key \"hard\"\n"
          "$.steps[2].publish: \"to\" is missing\n"
          "$.steps[2].publish.payload: this must be text, not 1\n"
          "$.zebra: unknown key \"zebra\"; allowed: \"name\", \"transport\", \"broker\", "
          "\"delay_store\", \"subscriptions\", \"steps\", \"expect\"\n"
          "$.expect.waiting: this must be an integer of 0 or more, not -1\n"
          "$.subscriptions[0].max_atempts: unknown key \"max_atempts\": did you mean "
          "\"max_attempts\"?\n"
          "$.subscriptions[0].handler[1]: \"retri\" is no outcome: did you mean \"retry\"?\n"
          "$.subscriptions[0].handler[2]: this must be text, not 7\n"
          "$.subscriptions[0].source: \"name\" is missing\n"
          "$.subscriptions[0].source.nmae: unknown key \"nmae\": did you mean \"name\"?\n"
          "$.subscriptions[1].concurrency: this must be an integer, not \"two\"\n"
          "$.broker.counts: \"all\" is unknown here; allowed: \"failures\", \"returns\", "
          "\"none\"");
}

TEST_CASE("more than ten elements stay in their order") {
    std::string steps;
    for (int at = 0; at < 12; ++at) steps += at == 0 ? "{}" : ",{}";
    const auto all = mistakes_of(file_of_steps(steps));
    REQUIRE(all.size() == 12);
    CHECK(all[1].starts_with("$.steps[1]:"));
    CHECK(all[2].starts_with("$.steps[2]:"));
    CHECK(all[11].starts_with("$.steps[11]:"));
}

TEST_CASE("a file of nothing but mistakes lists a thousand") {
    std::string steps = "1";
    for (int at = 1; at < 5000; ++at) steps += ",1";
    const auto all = mistakes_of(file_of_steps(steps));
    CHECK(all.size() == 1001);
    CHECK(all.front() == "$: there are more mistakes than these 1000");
}

TEST_CASE("memory's options are checked") {
    const auto with = [](const std::string& broker) {
        return wrong_with(R"({"transport": "memory", "broker": )" + broker + "}");
    };
    CHECK(with(R"({"counts": "none"})") == "");
    CHECK(with(R"({"delivery_limit": 4294967295})") == "");
    CHECK(with(R"({"delivery_limit": 4294967296})") ==
          "$.broker.delivery_limit: this must be 4294967295 or less");
    CHECK(with(R"({"capacity": -1})") != "");
    CHECK(with(R"({"delays": 1})") != "");
    CHECK(with("[]") == "$.broker: this must be an object, not a list");
    CHECK(with(R"({"prefetch": 1})").starts_with("$.broker.prefetch: unknown key"));
}

TEST_CASE("a delay store stands only where the server does not delay") {
    const auto with = [](std::string_view broker, std::string_view store) {
        return wrong_with(R"({"transport": "memory", "broker": )" + std::string{broker} +
                          R"(, "delay_store": )" + std::string{store} + "}");
    };
    CHECK(with(R"({"delays": false})", "\"memory\"") == "");
    CHECK(with("{}", "\"memory\"").starts_with("$.delay_store: the server of this file delays"));
    CHECK(with("{}", R"({"sqlite": "f.db"})") ==
          "$.delay_store.sqlite: a delay store in SQLite is not built yet");
    CHECK(with("{}", R"({"sqlite": 1})") == "$.delay_store.sqlite: this must be text, not 1");
    CHECK(with("{}", "{}") == "$.delay_store: \"sqlite\" is missing");
    CHECK(with("{}", "\"disk\"").starts_with("$.delay_store: \"disk\" is unknown here"));
    CHECK(with("{}", "1") == "$.delay_store: this must be \"memory\", not 1");
    CHECK(wrong_with(file_with(R"("delay_store": {"sqlite": "f"})")) ==
          "$.subscriptions[0].delay_store.sqlite: a delay store in SQLite is not built yet");
}

TEST_CASE("what is expected is read") {
    const auto read = read_well(R"({"transport": "memory", "expect": {
        "deliveries": {"a": 1, "b": 0}, "published": {"x": 2},
        "settled": {"a": {"accepted": 1, "stale": 0}}, "queued": {"q": 3}, "waiting": 4,
        "refused": "max_attempts", "trace": [{"event": "delivered", "headers": null}, {}]}})");
    REQUIRE(read.expect);
    CHECK(read.expect->deliveries == std::map<std::string, std::uint64_t>{{"a", 1}, {"b", 0}});
    CHECK(read.expect->published.at("x") == 2);
    CHECK(read.expect->settled.at("a").at("accepted") == 1);
    CHECK(read.expect->queued.at("q") == 3);
    CHECK(read.expect->waiting == 4);
    CHECK(read.expect->refused == "max_attempts");
    REQUIRE(read.expect->trace.size() == 2);
    CHECK(read.expect->trace[0].find("headers")->is_null());
    CHECK(read_well(R"({"transport": "memory", "expect": {}})").expect);
}

TEST_CASE("what cannot be expected is a mistake") {
    const auto with = [](std::string_view expected) {
        return wrong_with(R"({"transport": "memory", "expect": )" + std::string{expected} + "}");
    };
    CHECK(with(R"({"deliveries": {"a b": -1}})") ==
          "$.expect.deliveries[\"a b\"]: this must be an integer of 0 or more, not -1");
    CHECK(with(R"({"published": [1]})") ==
          "$.expect.published: this must be an object, not a list");
    CHECK(with(R"({"settled": {"a": 1}})") == "$.expect.settled.a: this must be an object, not 1");
    CHECK(with(R"({"settled": {"a": {"accepted": "1"}}})") ==
          "$.expect.settled.a.accepted: this must be an integer of 0 or more, not \"1\"");
    CHECK(with(R"({"queued": {"q": 1.5}})") != "");
    CHECK(with(R"({"refused": true})") == "$.expect.refused: this must be text, not true");
    CHECK(with(R"({"trace": [{}, "started"]})") ==
          "$.expect.trace[1]: this must be an object, not \"started\"");
    CHECK(with(R"({"trace": {}})") == "$.expect.trace: this must be a list, not an object");
    CHECK(with(R"({"delivery": {}})").starts_with("$.expect.delivery: unknown key \"delivery\""));
    CHECK(with("[]") == "$.expect: this must be an object, not a list");
}

TEST_CASE("a text above the limit is not even looked at") {
    const std::string large(100'000'000, '[');
    CHECK(wrong_with(large) ==
          "$: the file is longer than the 67108864 bytes that are read at most");
    const std::string fits(scenario::most_bytes, ' ');
    CHECK(wrong_with(fits).starts_with("$: this is no JSON"));
}

TEST_CASE("deep nesting is refused") {
    std::string deep = R"({"transport": "memory", "subscriptions": )";
    for (int at = 0; at < 100'000; ++at) deep += "[";
    CHECK(wrong_with(deep).find("nested more than 64 deep") != std::string::npos);
}
