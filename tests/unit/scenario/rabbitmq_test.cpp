// Files for RabbitMQ: how they are read, and what a run on the server in memory shows.
#include "played.hpp"
#include "scenario/write.hpp"

#include <doctest/doctest.h>

#include <string>

using support::play_text;
using waybill::scenario::read;
namespace json = waybill::scenario::json;

namespace {

std::string on_rabbitmq(const std::string& broker, const std::string& subscriptions,
                        const std::string& steps, const std::string& expect = "{}") {
    return R"({"transport":"rabbitmq","broker":)" + broker + R"(,"subscriptions":)" +
           subscriptions + R"(,"steps":)" + steps + R"(,"expect":)" + expect + "}";
}

std::string wrong_in(const support::played& run) {
    auto text = run.difference + run.came.gave_up;
    for (const auto& each : run.came.problems) text += "\nrefused: " + each.message();
    for (const auto& each : run.came.lost) text += "\nlost: " + each;
    for (const auto& each : run.came.invented) text += "\ninvented: " + each;
    for (const auto& each : run.came.broken) text += "\nbroken: " + each;
    return text.empty() ? text : text + '\n' + run.text();
}

std::string mistakes_of(const std::string& text) {
    const auto told = read(text);
    std::string all;
    if (told) return all;
    for (const auto& each : told.error()) all += each.path + ": " + each.what + '\n';
    return all;
}

}  // namespace

TEST_CASE("a retry on a classic queue is a copy, and its wait takes place in a queue") {
    const auto run = play_text(on_rabbitmq(
        "{}",
        R"([{"name":"s","source":{"queue":"orders"},"max_attempts":3,"dead_letter":"dead",
             "handler":["retry","retry_after 30s","retry"]}])",
        R"([{"publish":{"to":"orders","payload":"a"}},{"advance":"1m"}])",
        R"({"deliveries":{"s":3},"published":{"orders":2,"dead":1},"queued":{"dead":1},
            "settled":{"s":{"accepted":3}},"waiting":0,"trace":[
            {"event":"started","counted_by":"header","delays":"broker","kill_loses":"nothing"},
            {"event":"published","to":"orders","why":"retry","at_ms":0,"via":null},
            {"event":"published","to":"orders","why":"retry","at_ms":0},
            {"event":"delivered","attempt":3,"at_ms":30000}]})"));
    CHECK(wrong_in(run) == "");
    const auto published = run.events("published");
    REQUIRE(published.size() == 4);
    REQUIRE(published[2].find("via") != nullptr);
    CHECK(published[2].find("via")->text()->starts_with("waybill.wait.v1.30000.quorum."));
}

TEST_CASE("a delay that is not on the grid is hopped over") {
    const auto run = play_text(on_rabbitmq(
        "{}",
        R"([{"name":"s","source":{"queue":"orders"},"handler":["retry_after 12345ms","ack"]}])",
        R"([{"publish":{"to":"orders","payload":"a"}},{"advance":"1m"}])",
        R"({"deliveries":{"s":2},"waiting":0,"trace":[
            {"event":"published","why":"retry","to":"orders"},
            {"event":"published","why":"hop","to":"orders"},
            {"event":"delivered","attempt":2,"at_ms":12345}]})"));
    CHECK(wrong_in(run) == "");
}

TEST_CASE("each version counts and starts as its servers do") {
    const auto file = [](const std::string& version, const std::string& counted) {
        return on_rabbitmq(
            R"({"version":")" + version + R"("})",
            R"([{"name":"s","source":{"queue":"orders","type":"quorum"},"max_attempts":3,
                 "dead_letter":"dead","handler":["retry"]}])",
            R"([{"publish":{"to":"orders","payload":"a"}},{"advance":"1m"}])",
            R"({"deliveries":{"s":3},"published":{"dead":1},"trace":[
                {"event":"started","counted_by":")" +
                counted + R"("}]})");
    };
    CHECK(wrong_in(play_text(file("3.10", "header"))) == "");
    CHECK(wrong_in(play_text(file("4.0", "header"))) == "");
    CHECK(wrong_in(play_text(file("4.3", "broker+header"))) == "");
}

TEST_CASE("a dead letter waits for its exchange, which a reconnect declares again") {
    const auto run = play_text(on_rabbitmq(
        R"({"topology":{"exchanges":[{"name":"x","type":"topic"}],"queues":[{"name":"lost"}],
            "bindings":[{"exchange":"x","queue":"lost","key":"out.*"}]}})",
        R"([{"name":"s","source":{"queue":"orders"},"max_attempts":1,
             "dead_letter":{"exchange":"x","key":"out.a"},"handler":["retry"]}])",
        R"([{"publish":{"to":"orders","payload":"a"}},{"advance":"1s"},
            {"delete":{"address":"/exchanges/x"}},
            {"publish":{"to":"orders","payload":"b"}},{"advance":"10s"},
            {"drop_connection":{}},{"reconnect":{}},{"advance":"1m"}])",
        R"({"deliveries":{"s":3},"settled":{"s":{"accepted":2,"stale":1}},
            "queued":{"orders":0,"lost":2},"waiting":0})"));
    CHECK(wrong_in(run) == "");
}

TEST_CASE("an exchange and a key are an address wherever one stands") {
    const auto run = play_text(on_rabbitmq(
        R"({"topology":{"exchanges":[{"name":"x","type":"topic"}],
            "queues":[{"name":"orders","type":"quorum"},{"name":"lost"}],
            "bindings":[{"exchange":"x","queue":"orders","key":"in.#"},
                        {"exchange":"x","queue":"lost","key":"out.*"}]}})",
        R"([{"name":"s","source":{"queue":"orders"},"max_attempts":2,
             "dead_letter":{"exchange":"x","key":"out.a"},"handler":["retry"]}])",
        R"([{"fail_publishes":{"to":{"exchange":"x","key":"out.a"}}},
            {"publish":{"to":{"exchange":"x","key":"in.a.b"},"payload":"a"}},{"advance":"1m"}])",
        R"({"deliveries":{"s":2},"published":{"/exchanges/x/out.a":1},"queued":{"lost":1},"trace":[
            {"event":"delivered","address":"/exchanges/x/in.a.b","attempt":1},
            {"event":"published","to":"/exchanges/x/out.a","confirmed":false}]})"));
    CHECK(wrong_in(run) == "");
}

TEST_CASE("properties and nested headers stand in the trace as they were given") {
    const auto run = play_text(on_rabbitmq(
        "{}",
        R"([{"name":"s","source":{"queue":"orders"},"max_attempts":2,"handler":["retry","ack"]}])",
        R"([{"publish":{"to":"orders","payload":"a",
             "headers":[["deep",{"list":[1,"two",null,{"base64":"AAE="}],"none":null}],["n",-5]],
             "properties":{"content_type":"text/plain","priority":4,"timestamp":1700000000}}},
            {"advance":"1s"}])",
        R"({"deliveries":{"s":2},"trace":[{"event":"delivered","attempt":2,
            "properties":{"content_type":"text/plain","priority":4,"timestamp":1700000000,
                          "delivery_mode":2},
            "headers":[["deep",{"list":[1,"two",null,{"base64":"AAE="}],"none":null}],
                       ["n",-5]]}]})"));
    CHECK(wrong_in(run) == "");
}

TEST_CASE("what the server dead-letters by itself is neither lost nor invented") {
    const auto run = play_text(on_rabbitmq(
        R"({"topology":{"queues":[{"name":"orders","arguments":{"x-dead-letter-exchange":"",
            "x-dead-letter-routing-key":"rejected"}},{"name":"rejected"}]}})",
        R"([{"name":"s","source":{"queue":"orders"},"on_drop":"broker",
             "handler_for":{"bad":["drop"]}}])",
        R"([{"publish":{"to":"orders","payload":"bad","times":3}},
            {"publish":{"to":"orders","payload":"good"}}])",
        R"({"queued":{"rejected":3,"orders":0},"settled":{"s":{"rejected":3,"accepted":1}}})"));
    CHECK(wrong_in(run) == "");
}

TEST_CASE("a connection that falls comes again at once when the server can be reached") {
    const auto run = play_text(on_rabbitmq(
        "{}",
        R"([{"name":"s","source":{"queue":"orders"},"handler":[{"takes":"10s","then":"ack"},"ack"]}])",
        R"([{"publish":{"to":"orders","payload":"a"}},{"drop_connection":{}},
            {"publish":{"to":"orders","payload":"b"}},{"advance":"10m"},{"reconnect":{}}])",
        R"({"deliveries":{"s":3}})"));
    CHECK(wrong_in(run) == "");
    const auto again = play_text(
        on_rabbitmq("{}", R"([{"name":"s","source":{"queue":"orders"},"handler":["ack"]}])",
                    R"([{"drop_connection":{}},{"crash":{}},{"restart":{}},
            {"publish":{"to":"orders","payload":"b"}},{"reconnect":{}}])",
                    R"({"deliveries":{"s":1}})"));
    CHECK(wrong_in(again) == "");
}

TEST_CASE("mistakes in the parts of RabbitMQ are named with their places") {
    const auto said = mistakes_of(on_rabbitmq(
        R"({"version":"3.9","prefetch":0,"frame_max":1,"topology":{"queues":[{"name":"q"},{"name":"q"}],
            "bindings":[{"exchange":"x","key":"k"},{"exchange":"x","to_exchange":"y"}]}})",
        R"([{"name":"s","source":{"queue":"q","type":"quorum"}}])",
        R"([{"publish":{"to":{"exchage":"x"},"headers":[["h",{"a":18446744073709551615}]],
             "properties":{"priority":300,"ttl":"1s"}}}])"));
    for (const char* part :
         {"$.broker.version", "$.broker.prefetch", "$.broker.frame_max", "stands here twice",
          "a binding leads to", "no exchange \"y\"", "another type", "did you mean \"exchange\"",
          "has no type here", "0 to 255", "unknown key \"ttl\""}) {
        CAPTURE(part);
        CAPTURE(said);
        CHECK(said.find(part) != std::string::npos);
    }
}

TEST_CASE("a file for RabbitMQ is written as it was read") {
    const auto text = on_rabbitmq(
        R"({"version":"4.0","prefetch":3,"topology":{"queues":[{"name":"q","type":"quorum",
            "arguments":{"x-delivery-limit":5}}]}})",
        R"([{"name":"s","source":{"queue":"q","type":"quorum"},"handler":["ack"]}])",
        R"([{"publish":{"to":"q","payload":"p","headers":[["h",{"a":[1,2]}]],
             "properties":{"message_id":"m"}}}])");
    const auto told = read(text);
    REQUIRE(told);
    const auto written = json::to_text(waybill::scenario::write(*told));
    const auto again = read(written);
    REQUIRE(again);
    CHECK(json::to_text(waybill::scenario::write(*again)) == written);
    CHECK(written.find(R"("properties":{"message_id":"m"})") != std::string::npos);
    CHECK(written.find(R"(["h",{"a":[1,2]}])") != std::string::npos);
}
