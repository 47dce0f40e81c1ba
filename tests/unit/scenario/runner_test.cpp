#include "played.hpp"

#include <doctest/doctest.h>

#include <string>

using support::play_text;

namespace {

std::string scenario(const std::string& broker, const std::string& subscriptions,
                     const std::string& steps, const std::string& expect = "{}") {
    return R"({"transport":"memory","broker":)" + broker + R"(,"subscriptions":)" + subscriptions +
           R"(,"steps":)" + steps + R"(,"expect":)" + expect + "}";
}

/// What is wrong, for a message of doctest.
std::string wrong(const support::played& run) {
    auto text = run.difference + run.came.gave_up;
    for (const auto& each : run.came.lost) text += "\nlost: " + each;
    for (const auto& each : run.came.invented) text += "\ninvented: " + each;
    for (const auto& each : run.came.broken) text += "\nbroken: " + each;
    return text.empty() ? text : text + '\n' + run.text();
}

}  // namespace

TEST_CASE("the same scenario gives the same trace to the byte") {
    const auto text = scenario(
        R"({"counts":"none","delays":false})",
        R"([{"name":"s","source":{"name":"q"},"max_attempts":3,"dead_letter":"dead","concurrency":2,
             "handler":["retry_after 10s","throw","retry"]}])",
        R"([{"publish":{"to":"q","payload":"p","times":5}},{"advance":"3s"},{"stop":{}},
            {"restart":{}},{"advance":"1m"}])");
    const auto first = play_text(text);
    CHECK(wrong(first) == "");
    CHECK(first.text() == play_text(text).text());
}

TEST_CASE("an answer that takes time holds its lane and no other") {
    const auto run = play_text(scenario(
        "{}",
        R"([{"name":"s","source":{"name":"q"},"concurrency":2,
             "handler_for":{"slow":[{"takes":"5s","then":"ack"}]}}])",
        R"([{"publish":{"to":"q","payload":"first"}},{"publish":{"to":"q","payload":"slow"}},
            {"publish":{"to":"q","payload":"a"}},{"publish":{"to":"q","payload":"b"}},
            {"advance":"10s"}])",
        R"({"deliveries":{"s":4},"trace":[
            {"event":"delivered","payload":"slow","at_ms":0},
            {"event":"delivered","payload":"b","at_ms":0},
            {"event":"outcome","outcome":"ack","at_ms":5000}]})"));
    CHECK(wrong(run) == "");
}

TEST_CASE("what takes time and then throws, publishes or crashes does so at its time") {
    const auto run = play_text(scenario(
        R"({"outlives_crash":true})",
        R"([{"name":"s","source":{"name":"q"},"max_attempts":4,"dead_letter":"dead","reply_to":"rep",
             "handler":[{"takes":"1s","then":"throw"},{"takes":"1s","then":"crash"},
                        {"takes":"1s","then":{"publish":[{"to":"note","payload":"n"}],
                                              "then":{"reply":"r"}}}]}])",
        R"([{"publish":{"to":"q","payload":"p"}},{"advance":"2s"},{"advance":"3s"},{"restart":{}},
            {"advance":"1s"}])",
        R"({"deliveries":{"s":3},"published":{"note":1,"rep":1,"dead":0},"trace":[
            {"event":"outcome","outcome":"retry","at_ms":1000},
            {"event":"started","at_ms":5000},
            {"event":"delivered","attempt":3,"at_ms":5000},
            {"event":"published","to":"note","why":"handler","at_ms":6000},
            {"event":"published","to":"rep","why":"reply","payload":"r"},
            {"event":"outcome","outcome":"ack"}]})"));
    CHECK(wrong(run) == "");
}

TEST_CASE("a stop waits for handlers to the end of its time, and gives back what is left") {
    const auto stopped_after = [](const std::string& timeout) {
        return play_text(scenario(
            "{}",
            R"([{"name":"s","source":{"name":"q"},"handler":[{"takes":"10s","then":"ack"},"ack"]}])",
            R"([{"publish":{"to":"q","payload":"p"}},{"stop":{)" + timeout + R"(}},{"restart":{}},
                {"advance":"1m"}])"));
    };
    const auto patient = stopped_after("");
    CHECK(wrong(patient) == "");
    CHECK(patient.came.totals.deliveries.at("s") == 1);
    const auto hasty = stopped_after(R"("timeout":"3s")");
    CHECK(wrong(hasty) == "");
    CHECK(hasty.came.totals.deliveries.at("s") == 2);
    CHECK(hasty.events("delivered").back().find("attempt")->integer() == 1);
    CHECK(hasty.events("stopped").front().find("at_ms")->integer() == 3000);
}

TEST_CASE("a server that cannot be reached hands out nothing and takes nothing") {
    const auto run = play_text(
        scenario(R"({"counts":"none","delays":false})",
                 R"([{"name":"s","source":{"name":"q"},"max_attempts":2,"dead_letter":"dead",
             "handler":["retry_after 1s"]}])",
                 R"([{"publish":{"to":"q","payload":"p"}},{"drop_connection":{}},{"advance":"1m"},
            {"publish":{"to":"q","payload":"late"}},{"reconnect":{}},{"advance":"2m"}])",
                 R"({"deliveries":{"s":4},"queued":{"dead":2},"trace":[
            {"event":"published","why":"retry","confirmed":false,"at_ms":1000},
            {"event":"delivered","payload":"late","at_ms":60000}]})"));
    CHECK(wrong(run) == "");
}

TEST_CASE("a message dies with a server that does not outlive its process, and only then") {
    const auto after_crash = [](const std::string& broker) {
        return play_text(scenario(broker, R"([{"name":"s","source":{"name":"q"},"max_attempts":9,
                                               "dead_letter":"d","handler":["retry_after 1h"]}])",
                                  R"([{"publish":{"to":"q","payload":"p"}},{"crash":{}},
                                      {"restart":{}},{"advance":"2h"}])"));
    };
    const auto emptied = after_crash("{}");
    CHECK(wrong(emptied) == "");
    CHECK(emptied.came.totals.deliveries.at("s") == 1);
    const auto kept = after_crash(R"({"outlives_crash":true})");
    CHECK(wrong(kept) == "");
    CHECK(kept.came.totals.deliveries.at("s") == 3);
}

TEST_CASE("what is ready at an address that is deleted is gone, and nothing is lost") {
    const auto run = play_text(
        scenario("{}", R"([{"name":"s","source":{"name":"other"}}])",
                 R"([{"publish":{"to":"q","payload":"p","times":3}},{"delete":{"address":"q"}},
            {"publish":{"to":"q","payload":"p"}}])",
                 R"({"queued":{"q":1}})"));
    CHECK(wrong(run) == "");
}

TEST_CASE("publishes that fail are made again, and counted once") {
    const auto run = play_text(scenario(
        "{}",
        R"([{"name":"s","source":{"name":"q"},"max_attempts":1,"dead_letter":"dead",
             "handler":["retry"]}])",
        R"([{"fail_publishes":{"to":"dead","times":3}},{"publish":{"to":"q","payload":"p"}},
            {"advance":"10s"}])",
        R"({"deliveries":{"s":1},"published":{"dead":1},"trace":[
            {"event":"published","confirmed":false},{"event":"published","confirmed":false},
            {"event":"published","confirmed":false},{"event":"published","confirmed":true},
            {"event":"settled","as":"accepted"}]})"));
    CHECK(wrong(run) == "");
}

TEST_CASE("a payload that cannot be decoded was delivered, and goes the way of its policy") {
    const auto run = play_text(scenario(
        "{}",
        R"([{"name":"s","source":{"name":"q"},"codec":"json","message":{"id":"u64"},
             "max_attempts":3,"dead_letter":"dead","handler":["ack"]}])",
        R"([{"publish":{"to":"q","payload":"no json"}},{"publish":{"to":"q","value":{"id":7}}}])",
        R"({"deliveries":{"s":2},"queued":{"dead":1},"trace":[
            {"event":"delivered","payload":"no json"},
            {"event":"outcome","outcome":"dead_letter"},
            {"event":"published","why":"dead_letter",
             "headers":{"waybill-dead-reason":"decode","waybill-retry-count":"1"}},
            {"event":"delivered","payload":"{\"id\":7}"},
            {"event":"outcome","outcome":"ack"}]})"));
    CHECK(wrong(run) == "");
}

TEST_CASE("a service that is refused says why, line by line") {
    const auto run = play_text(scenario(
        "{}", R"([{"name":"s","source":{"name":"q"},"max_attempts":0,"dead_letter":"q"}])", "[]"));
    CHECK(run.came.problems.size() == 2);
    CHECK(run.events("refused").size() == 2);
    CHECK(run.lines.back().find("event")->text() != nullptr);
    CHECK(*run.lines.back().find("event")->text() == "ended");
}

TEST_CASE("a scenario that never ends is given up") {
    const auto run = play_text(scenario("{}",
                                        R"([{"name":"s","source":{"name":"q"},
             "handler":[{"publish":[{"to":"q","payload":"again"}],"then":"ack"}]}])",
                                        R"([{"publish":{"to":"q","payload":"p"}}])"));
    CHECK(run.came.gave_up.find("deliveries") != std::string::npos);
    CHECK(run.came.lost.empty());
}
