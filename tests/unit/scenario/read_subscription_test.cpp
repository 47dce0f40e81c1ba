#include "samples.hpp"

#include <doctest/doctest.h>

using namespace scenario_samples;
using namespace std::chrono_literals;
using kind = scenario::answer::kind;

namespace {

/// The mistakes of a subscription with these members, below its place.
std::string wrong_member(std::string_view members) {
    auto all = mistakes_of(file_with(members));
    const std::string place = "$.subscriptions[0]";
    for (auto& each : all) {
        if (each.starts_with(place)) each.erase(0, place.size());
    }
    return joined(all);
}

scenario::answers handler_of(std::string_view outcomes) {
    return subscription_with("\"handler\": " + std::string{outcomes}).handler;
}

scenario::answer answer_of(std::string_view outcome) {
    const auto all = handler_of("[" + std::string{outcome} + "]");
    REQUIRE(all.size() == 1);
    return all[0];
}

std::string wrong_answer(std::string_view outcome) {
    return wrong_member("\"handler\": [" + std::string{outcome} + "]");
}

}  // namespace

TEST_CASE("a subscription needs its source alone") {
    const auto made = subscription_with("");
    CHECK(made.declared.name == "q");
    CHECK(made.declared.from.name == "q");
    CHECK_FALSE(made.declared.from.fan_out);
    CHECK(made.declared.concurrency == 1);
    CHECK_FALSE(made.declared.max_attempts);
    CHECK_FALSE(made.declared.dead_letter);
    CHECK_FALSE(made.declared.retry_to);
    CHECK_FALSE(made.declared.on_undecodable);
    CHECK(made.declared.on_exception.answer() == waybill::retry());
    CHECK(made.declared.retry_delay.empty());
    CHECK_FALSE(made.declared.drop_to_broker);
    CHECK_FALSE(made.declared.retry_to_delivery);
    CHECK(made.codec == scenario::codec_name::raw);
    REQUIRE(made.handler.size() == 1);
    CHECK(made.handler[0].what == kind::ack);
    CHECK(wrong_with(R"({"transport": "memory", "subscriptions": [{"name": "a"}]})") ==
          "$.subscriptions[0]: \"source\" is missing");
    CHECK(wrong_with(R"({"transport": "memory", "subscriptions": [{"source": "q"}]})") ==
          "$.subscriptions[0].source: this must be an object, not \"q\"");
    CHECK(wrong_with(R"({"transport": "memory", "subscriptions": [1]})") ==
          "$.subscriptions[0]: this must be an object, not 1");
    CHECK(wrong_with(R"({"transport": "memory", "subscriptions": {}})") ==
          "$.subscriptions: this must be a list, not an object");
}

TEST_CASE("every policy of a declaration is read") {
    const auto made = subscription_with(R"(
        "name": "n", "concurrency": 3, "max_attempts": 4, "dead_letter": "dead",
        "retry_to": "again", "reply_to": "answers", "max_redeliveries": 9,
        "skip_foreign_copies": true, "drop_when_spent": true, "on_drop": "broker",
        "on_exception": "drop", "on_undecodable": "dead_letter", "formerly": ["old", "older"],
        "keep_order_on_retry": false)");
    const auto& declared = made.declared;
    CHECK(declared.name == "n");
    CHECK(declared.concurrency == 3);
    CHECK(declared.max_attempts == 4);
    CHECK(declared.dead_letter == "dead");
    CHECK(declared.retry_to == "again");
    CHECK(declared.reply_to == "answers");
    CHECK(declared.max_redeliveries == 9);
    CHECK(declared.skip_foreign_copies);
    CHECK(declared.drop_when_spent);
    CHECK(declared.drop_to_broker);
    CHECK(declared.on_exception.answer() == waybill::drop());
    CHECK(declared.on_undecodable->is_dead_letter());
    CHECK(declared.formerly == std::vector<std::string>{"old", "older"});
    CHECK(subscription_with(R"("formerly": "old")").declared.formerly ==
          std::vector<std::string>{"old"});
    CHECK_FALSE(subscription_with(R"("on_drop": "ack")").declared.drop_to_broker);
}

TEST_CASE("retries go back to the delivery's own address") {
    const auto made = subscription_with(R"("retry_to": "$delivery")");
    CHECK(made.declared.retry_to_delivery);
    CHECK_FALSE(made.declared.retry_to);
}

TEST_CASE("numbers that cannot be are left to the start of the service") {
    CHECK(subscription_with(R"("max_attempts": 0)").declared.max_attempts == 0);
    CHECK(subscription_with(R"("max_attempts": -5)").declared.max_attempts == -5);
    CHECK(subscription_with(R"("max_attempts": 18446744073709551615)").declared.max_attempts ==
          std::numeric_limits<std::int64_t>::max());
    CHECK(subscription_with(R"("concurrency": 0)").declared.concurrency == 0);
    CHECK(subscription_with(R"("max_redeliveries": 0)").declared.max_redeliveries == 0);
    CHECK(wrong_member(R"("max_attempts": 1e30)") ==
          ".max_attempts: this must be an integer, not 1e+30");
    CHECK(wrong_member(R"("max_attempts": 1.5)") != "");
    CHECK(wrong_member(R"("max_attempts": null)") != "");
    CHECK(wrong_member(R"("concurrency": "1")") != "");
}

TEST_CASE("members of other types are mistakes at their place") {
    for (const std::string name : {"name", "dead_letter", "retry_to", "reply_to"}) {
        CHECK(wrong_member("\"" + name + "\": 1") == "." + name + ": this must be text, not 1");
    }
    for (const std::string name : {"skip_foreign_copies", "drop_when_spent"}) {
        CHECK(wrong_member("\"" + name + "\": 1") ==
              "." + name + ": this must be true or false, not 1");
    }
    CHECK(wrong_member(R"("formerly": ["a", 1])") == ".formerly[1]: this must be text, not 1");
    CHECK(wrong_member(R"("formerly": 1)") == ".formerly: this must be text, not 1");
    CHECK(wrong_member(R"("on_drop": "drop")") ==
          ".on_drop: \"drop\" is unknown here; allowed: \"ack\", \"broker\"");
    CHECK(wrong_member(R"("inline": true)").starts_with(".inline: unknown key \"inline\""));
}

TEST_CASE("what is not built yet is refused with that reason") {
    CHECK(wrong_member(R"("batch": {"size": 10, "wait": "1s"})") ==
          ".batch: \"batch\" is not built yet");
    CHECK(wrong_member(R"("ordered_by": {"header": "k"})") ==
          ".ordered_by: \"ordered_by\" is not built yet");
    CHECK(wrong_member(R"("keep_order_on_retry": true)") ==
          ".keep_order_on_retry: \"keep_order_on_retry\" is not built yet");
    CHECK(wrong_member(R"("no_local": true)") == ".no_local: \"no_local\" is not built yet");
    CHECK(wrong_member(R"("routing": "strict")") == ".routing: \"routing\" is not built yet");
}

TEST_CASE("a back-off has three forms") {
    const auto delay = [](std::string_view form) {
        return subscription_with("\"backoff\": " + std::string{form}).declared.retry_delay;
    };
    CHECK(delay(R"({"exponential": ["1s", "5m"]})").describe() == "1s doubling to 5m");
    CHECK(delay(R"({"fixed": "10s"})").describe() == "10s");
    CHECK(delay(R"({"list": ["1s", "10s"]})").describe() == "1s, 10s");
    // The start of the service refuses it.
    CHECK(delay(R"({"list": []})").problem() != "");
    CHECK(delay(R"({"fixed": "0s"})").problem() != "");
    CHECK(delay(R"({"exponential": ["5m", "1s"]})").problem() != "");
    CHECK(wrong_member(R"("backoff": {"fixed": 10})").starts_with(".backoff.fixed: this must be"));
    CHECK(wrong_member(R"("backoff": {"list": ["1s", "x"]})").starts_with(".backoff.list[1]:"));
    CHECK(wrong_member(R"("backoff": {"exponential": ["1s"]})") ==
          R"(.backoff.exponential: this is the first delay and the longest, as in ["1s", "5m"])");
    const std::string one = R"(.backoff: a back-off has one of "exponential", "fixed" and "list")";
    CHECK(wrong_member(R"("backoff": {})") == one);
    CHECK(wrong_member(R"("backoff": {"fixed": "1s", "list": ["1s"]})") == one);
    CHECK(wrong_member(R"("backoff": "1s")") == ".backoff: this must be an object, not \"1s\"");
}

TEST_CASE("a failure policy is an outcome or the dead letter") {
    const auto policy = [](std::string_view text) {
        return subscription_with("\"on_exception\": \"" + std::string{text} + "\"")
            .declared.on_exception.describe();
    };
    CHECK(policy("ack") == "ack");
    CHECK(policy("drop") == "drop");
    CHECK(policy("retry") == "retry");
    CHECK(policy("retry_after 30s") == "retry_after 30s");
    CHECK(policy("dead_letter") == "dead_letter");
    CHECK(wrong_member(R"("on_exception": "throw")").starts_with(".on_exception: \"throw\" is no"));
    CHECK(wrong_member(R"("on_undecodable": "dead-letter")") ==
          R"(.on_undecodable: "dead-letter" is no outcome: did you mean "dead_letter"?)");
    CHECK(wrong_member(R"("on_exception": "retry_after")") ==
          R"(.on_exception: "retry_after" needs a duration, as in "retry_after 30s")");
    CHECK(wrong_member(R"("on_exception": {})") ==
          ".on_exception: this must be text, not an object");
}

TEST_CASE("a codec has a message with fields of known kinds") {
    const auto made =
        subscription_with(R"("codec": "json", "message": {"id": "u64", "card": "string",
        "b": "bool", "i": "i64", "f": "f64", "d": "double", "x": "float", "s": "u8", "t": "i16"})");
    CHECK(made.codec == scenario::codec_name::json);
    using scenario::field_kind;
    std::vector<field_kind> kinds;
    for (const auto& each : made.message) kinds.push_back(each.kind);
    CHECK(made.message[0].name == "id");
    CHECK(kinds == std::vector{field_kind::u64, field_kind::string, field_kind::boolean,
                               field_kind::i64, field_kind::f64, field_kind::f64, field_kind::f32,
                               field_kind::u8, field_kind::i16});
    CHECK(subscription_with(R"("codec": "cbor")").codec == scenario::codec_name::cbor);
    CHECK(subscription_with(R"("codec": "msgpack", "message": {})").codec ==
          scenario::codec_name::msgpack);
}

TEST_CASE("a message that cannot be declared is a mistake") {
    CHECK(wrong_member(R"("codec": "xml")").starts_with(".codec: \"xml\" is unknown here"));
    CHECK(wrong_member(R"("codec": "xml", "message": {"a": "u64"})").starts_with(".codec:"));
    CHECK(wrong_member(R"("message": {"a": "u64"})") ==
          R"(.message: a message needs a "codec": "json", "cbor" or "msgpack")");
    CHECK(wrong_member(R"("codec": "raw", "message": {"a": "u64"})") != "");
    CHECK(wrong_member(R"("codec": "json", "message": {"a": "text"})")
              .starts_with(".message.a: \"text\" is no kind of field"));
    CHECK(wrong_member(R"("codec": "json", "message": {"a": 1})") ==
          ".message.a: this must be text, not 1");
    CHECK(wrong_member(R"("codec": "json", "message": {"a\"": "u64"})") != "");
    std::string fields = R"("codec": "json", "message": {"k": "u64")";
    for (int at = 1; at < 32; ++at) fields += ", \"k" + std::to_string(at) + "\": \"u64\"";
    CHECK(wrong_member(fields + "}") == "");
    CHECK(wrong_member(fields + ", \"z\": \"u64\"}") ==
          ".message: a message has at most 32 fields, not 33");
}

TEST_CASE("every outcome that is a text is read") {
    CHECK(answer_of("\"ack\"").what == kind::ack);
    CHECK(answer_of("\"drop\"").what == kind::drop);
    CHECK(answer_of("\"retry\"").what == kind::retry);
    CHECK(answer_of("\"retry_after 30s\"").what == kind::retry_after);
    CHECK(answer_of("\"retry_after 30s\"").delay == 30s);
    CHECK(answer_of("\"retry_after 0s\"").delay == 0s);
    CHECK(answer_of("\"throw\"").what == kind::throws);
    CHECK(answer_of("\"throw 7\"").what == kind::throws_number);
    CHECK(answer_of("\"throw 7\"").number == 7);
    CHECK(answer_of("\"throw -7\"").number == -7);
    CHECK(answer_of("\"crash\"").what == kind::crash);
}

TEST_CASE("an outcome may take time, publish and reply, however deep it is written") {
    const auto takes = answer_of(R"({"takes": "5s", "then": "retry"})");
    CHECK(takes.takes == 5s);
    CHECK(takes.what == kind::retry);
    const auto replies = answer_of(R"({"reply": "text"})");
    CHECK(replies.what == kind::reply);
    CHECK(replies.reply == "text");
    const auto publishes =
        answer_of(R"({"publish": [{"to": "a", "payload": "x"}, {"to": "b"}], "then": "throw 7"})");
    CHECK(publishes.what == kind::throws_number);
    REQUIRE(publishes.publishes.size() == 2);
    CHECK(publishes.publishes[0].to == "a");
    CHECK(text_of(publishes.publishes[0].payload) == "x");
    CHECK(publishes.publishes[1].payload.empty());
    const auto nested = answer_of(R"({"takes": "5s", "then": {"publish": [{"to": "a"}], "then":
        {"takes": "1s", "publish": [{"to": "b"}], "then": {"reply": "r"}}}})");
    CHECK(nested.takes == 6s);
    REQUIRE(nested.publishes.size() == 2);
    CHECK(nested.publishes[1].to == "b");
    CHECK(nested.what == kind::reply);
    CHECK(answer_of(R"({"takes": "1s"})").what == kind::ack);
    CHECK(answer_of(R"({"reply": "r", "then": "ack"})").what == kind::reply);
    CHECK(answer_of(R"({"takes": "100000d", "then": {"takes": "100000d"}})").takes ==
          std::chrono::nanoseconds::max());
}

TEST_CASE("what is no outcome is a mistake at its place") {
    CHECK(wrong_answer("\"Retry\"") ==
          R"(.handler[0]: "Retry" is no outcome: did you mean "retry"?)");
    CHECK(wrong_answer("\"retry_after\"") ==
          R"(.handler[0]: "retry_after" needs a duration, as in "retry_after 30s")");
    CHECK(wrong_answer("\"retry_after 30\"") != "");
    CHECK(wrong_answer("\"throw x\"") ==
          R"(.handler[0]: "throw x" needs an integer, as in "throw 7", or nothing)");
    CHECK(wrong_answer("\"throw 99999999999\"") != "");
    CHECK(wrong_answer("\"\"") != "");
    CHECK(wrong_answer("null") == ".handler[0]: this must be text, not null");
    CHECK(wrong_answer("{}") ==
          R"(.handler[0]: an outcome has "takes", "publish", "reply" or "then")");
    CHECK(wrong_answer(R"({"take": "5s"})") ==
          R"(.handler[0].take: unknown key "take": did you mean "takes"?)");
    CHECK(wrong_answer(R"({"takes": "5s", "then": "x"})").starts_with(".handler[0].then: \"x\""));
    CHECK(wrong_answer(R"({"reply": "r", "then": "retry"})").starts_with(".handler[0].then: what"));
    CHECK(wrong_answer(R"({"reply": 1})") == ".handler[0].reply: this must be text, not 1");
    CHECK(wrong_answer(R"({"publish": [{"payload": "x"}]})") ==
          ".handler[0].publish[0]: \"to\" is missing");
    CHECK(wrong_answer(R"({"publish": {"to": "a"}})") ==
          ".handler[0].publish: this must be a list, not an object");
    CHECK(wrong_answer(R"({"publish": [{"to": "a", "times": 2}]})") != "");
    CHECK(wrong_member(R"("handler": [])") == ".handler: one outcome at least is needed");
    CHECK(wrong_member(R"("handler": "ack")") == ".handler: this must be a list, not \"ack\"");
}

TEST_CASE("a payload has a handler of its own") {
    const auto made = subscription_with(
        R"("handler_for": {"poison": ["throw", "drop"], "": ["ack"], "\u00e4": ["retry"]})");
    CHECK(made.handler_for.size() == 3);
    CHECK(made.handler_for.at(bytes_from("poison")).size() == 2);
    CHECK(made.handler_for.at(bytes_from("poison"))[1].what == kind::drop);
    CHECK(made.handler_for.at(bytes_from("\u00e4"))[0].what == kind::retry);
    CHECK(wrong_member(R"("handler_for": {"a b": ["ack", "x"], "c": []})") ==
          ".handler_for[\"a b\"][1]: \"x\" is no outcome; allowed: \"ack\", \"drop\", \"retry\", "
          "\"retry_after\", \"throw\", \"crash\"\n"
          ".handler_for.c: one outcome at least is needed");
    CHECK(wrong_member(R"("handler_for": [])") ==
          ".handler_for: this must be an object, not a list");
}
