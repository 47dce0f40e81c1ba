// Scenarios are written as files that read back as the same.
#include "scenario/write.hpp"

#include "scenario/random.hpp"
#include "scenario/read.hpp"
#include "scenario/runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace waybill::scenario;

namespace scenario_writing {

std::vector<std::string> trace_of(const scenario& told) {
    std::vector<std::string> lines;
    (void)play(told, [&](const json::value& line) { lines.push_back(json::to_text(line)); });
    return lines;
}

std::string first_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const auto [one, other] = std::ranges::mismatch(a, b);
    if (one == a.end() && other == b.end()) return "none";
    return (one != a.end() ? *one : "the end") + " and " + (other != b.end() ? *other : "the end");
}

/// With every key of the format that there is.
constexpr std::string_view everything = R"({
  "name": "everything", "transport": "memory",
  "broker": {"counts": "none", "delays": false, "delivery_limit": 5, "outlives_crash": true,
             "capacity": 9},
  "subscriptions": [
    {"name": "all", "source": {"name": "in.*", "fan_out": true}, "codec": "json",
     "message": {"id": "u64", "ok": "bool"}, "concurrency": 2, "max_attempts": 3,
     "max_redeliveries": 4, "backoff": {"exponential": ["1s", "1m"]},
     "on_exception": "retry_after 2s", "on_undecodable": "dead_letter", "drop_when_spent": true,
     "on_drop": "broker", "skip_foreign_copies": true, "formerly": ["old"], "dead_letter": "dead",
     "retry_to": "again", "reply_to": "out",
     "handler": ["ack", "drop", "retry", "retry_after 3s", "throw", "throw 7", "crash",
                 {"reply": "r"}, {"takes": "1s", "reply": "r"},
                 {"takes": "1s", "publish": [{"to": "o", "payload_base64": "/w=="}],
                  "then": "retry_after 1s"}]},
    {"name": "dead", "source": {"name": "dead"}, "retry_to": "$delivery",
     "backoff": {"list": ["1s", "2s"]}, "on_exception": "drop", "handler": ["ack"],
     "handler_for": {"": ["retry"], "p": ["drop"]}}],
  "steps": [
    {"publish": {"to": "in.a", "payload": "p", "headers": [["a", "b"], ["n", null], ["t", true],
       ["i", -1], ["f", 1.5], ["x", {"base64": "/w=="}]], "properties": {"ttl": "1m"}, "times": 2}},
    {"publish": {"to": "in.a", "payload_base64": "/w=="}},
    {"publish": {"to": "in.a", "value": {"id": 1, "ok": true}}},
    {"advance": "90s"}, {"stop": {"timeout": "2s"}}, {"stop": {}}, {"crash": {}}, {"restart": {}},
    {"drop_connection": {}}, {"reconnect": {}}, {"fail_publishes": {"to": "dead", "times": 2}},
    {"delete": {"address": "in.a"}}, {"restart_broker": {}}],
  "expect": {"deliveries": {"all": 1}, "published": {"dead": 1},
             "settled": {"all": {"accepted": 1}}, "queued": {"dead": 0}, "waiting": 0,
             "refused": "no", "trace": [{"event": "ended"}]}
})";

}  // namespace scenario_writing

using namespace scenario_writing;

TEST_CASE("every key of a file is written again") {
    const auto told = read(everything);
    REQUIRE(told.has_value());
    const auto once = write(*told);
    const auto again = read(json::to_text(once));
    REQUIRE(again.has_value());
    CHECK_EQ(json::to_text(write(*again)), json::to_text(once));
    const auto file = *json::parse(everything);
    for (const auto part : {"name", "broker", "expect"}) {
        CAPTURE(part);
        CHECK_EQ(json::to_text(*once.find(part)), json::to_text(*file.find(part)));
    }
    for (const auto part : {"subscriptions", "steps"}) {
        const auto& wanted = *file.find(part)->items();
        const auto& came = *once.find(part)->items();
        REQUIRE_EQ(came.size(), wanted.size());
        for (std::size_t at = 0; at < wanted.size(); ++at) {
            for (const auto& each : *wanted[at].members()) {
                CAPTURE(each.name);
                const auto* found = came[at].find(each.name);
                REQUIRE(found != nullptr);
                CHECK_EQ(json::to_text(*found), json::to_text(each.is));
            }
        }
    }
}

TEST_CASE("what is as by default is left out") {
    const auto told = read(R"({"transport": "memory", "subscriptions": [
        {"source": {"name": "a"}, "codec": "raw", "concurrency": 1, "on_exception": "retry"}]})");
    REQUIRE(told.has_value());
    CHECK_EQ(json::to_text(write(*told)),
             R"({"transport":"memory","subscriptions":[{"name":"a","source":{"name":"a"},)"
             R"("handler":["ack"]}],"steps":[]})");
}

TEST_CASE("a file that was written plays as its scenario does") {
    for (std::uint64_t run = 0; run < 100; ++run) {
        CAPTURE(run);
        const auto told = make_up(11, run, "memory");
        const auto again = read(to_pretty_text(write(told)));
        REQUIRE(again.has_value());
        CHECK_EQ(first_difference(trace_of(*again), trace_of(told)), "none");
    }
}
