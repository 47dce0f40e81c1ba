// `waybill simulate --live`: what it does not do to a server, and what does not lead it astray.
#include "live/rabbitmq/wire_rig.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "scenario/live/runner.hpp"
#include "scenario/read.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace live;
using namespace std::chrono_literals;

namespace live::simulate_tests {

namespace rabbitmq = waybill::rabbitmq;
namespace scenario = waybill::scenario;
namespace json = scenario::json;

const std::string queue = "simulated";

const std::string dead = queue + ".dead";

/// A file that reads `queue`, whose handler acks.
std::string file_with(const std::string& steps) {
    return R"({"name": "live", "transport": "rabbitmq", "subscriptions": [{"name": "reads",)"
           R"( "source": {"queue": ")" +
           queue + R"("}, "max_attempts": 2, "dead_letter": ")" + dead +
           R"(", "handler": ["ack"]}], "steps": [)" + steps + "]}";
}
std::string publish(const std::string& payload) {
    return R"({"publish": {"to": ")" + queue + R"(", "payload": ")" + payload + R"("}})";
}

struct run {
    std::string url = server_url();
    bool discards = false;
    scenario::trace::sink sees = [](const json::value&) {};
    std::vector<std::string> remarks;

    scenario::result play(const std::string& steps) {
        const auto text = file_with(steps);
        const auto told = scenario::read(text);
        REQUIRE(told.has_value());
        scenario::live_options how;
        how.url = url;
        how.discards = discards;
        how.program = WAYBILL_TOOL;
        how.arguments = {"serve-a-scenario"};
        how.remark = [this](const std::string& sentence) { remarks.push_back(sentence); };
        return scenario::play_live(*told, text, how, sees);
    }
};

std::string joined(const std::vector<std::string>& all) {
    std::string text;
    for (const auto& each : all) text += each + '\n';
    return text;
}

/// A message with the tag that a run of that number gave it.
void publish_tagged(const std::string& to, std::uint64_t run, std::uint64_t id) {
    const auto on = wire_rig::opened();
    REQUIRE(on->open_channel(1).has_value());
    REQUIRE(on->select_confirms(1).has_value());
    waybill::headers with;
    with.append("waybill-sim-id", run << 32U | id);
    rabbitmq::publication message;
    message.key = to;
    message.packed_headers = with.packed();
    message.body = wire_rig::as_bytes("of another run");
    REQUIRE(on->publish(1, message).has_value());
    wire_rig::witness seen;
    wire_rig::until(*on, seen, [&] { return seen.settled == 1; });
}

/// Somebody who has everything of `queue` in hand.
struct holder {
    explicit holder(std::size_t count) : on{wire_rig::opened()} {
        REQUIRE(on->open_channel(1).has_value());
        REQUIRE(on->consume(1, queue, "holds", false, {}).has_value());
        wire_rig::until(*on, seen, [&] { return seen.messages.size() == count; });
    }
    std::unique_ptr<rabbitmq::wire> on;
    wire_rig::witness seen;
};

}  // namespace live::simulate_tests

using namespace live::simulate_tests;

TEST_CASE("a queue of the file that somebody else uses is kept, and the file not played") {
    plain_client client;
    client.make_queue(queue);
    client.fill(queue, 2);
    const auto why = [] {
        const auto came = run{}.play("");
        REQUIRE(came.problems.size() == 1);
        CHECK(came.problems[0].where == "queue " + queue);
        return came.problems[0].what;
    };
    CHECK(why().starts_with("it holds 2 messages, and the queues of a file"));
    {
        const holder has{2};
        CHECK(why().starts_with("it is read by 1 consumer, which may have messages in hand, and"));
    }
    REQUIRE(eventually([&] { return client.ready(queue) == 2; }));
    client.delete_queue(queue);
}

TEST_CASE("a server that opens too few channels is named, and not asked for ever") {
    run with;
    with.url += "?channel_max=2";
    const auto begun = std::chrono::steady_clock::now();
    const auto came = with.play("");
    CHECK(std::chrono::steady_clock::now() - begun < 60s);
    REQUIRE(came.problems.size() == 1);
    CHECK(came.problems[0].what.starts_with("its three channels cannot be opened: "));
    CHECK(came.problems[0].fix.find("channel_max") != std::string::npos);
}

TEST_CASE("what an earlier run has left behind changes no verdict") {
    run with;
    bool has_come = false;
    with.sees = [&](const json::value& line) {
        if (json::to_text(line).find("published") == std::string::npos || has_come) return;
        has_come = true;
        publish_tagged(queue, 0, 1);
        publish_tagged(queue, 77, 1);
        publish_tagged(queue, 77, 9);
        publish_tagged(dead, 77, 2);
    };
    // It ends early, but not by a silence of 100 ms.
    const auto came = with.play(publish("a") + ", " + publish("b") + R"(, {"advance": "20s"})");
    CHECK(has_come);
    REQUIRE(came.problems.empty());
    CHECK(joined(came.lost) == "");
    CHECK(joined(came.invented) == "");
    CHECK(joined(came.broken) == "");
    CHECK(came.totals.deliveries.at("reads") == 2);
    CHECK(came.totals.queued.at(dead) == 1);
    CHECK(with.remarks ==
          std::vector<std::string>{"4 messages of another run came back and were passed over"});
}
