// `waybill simulate --live`: what it does not do to a server, and what does not lead it astray.
#include "live/rabbitmq/wire_rig.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "scenario/live/runner.hpp"
#include "scenario/read.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace live;
using namespace std::chrono_literals;

namespace live::simulate_tests {

namespace rabbitmq = waybill::rabbitmq;
namespace scenario = waybill::scenario;
namespace json = scenario::json;

const std::string queue = "simulated";

/// A file that reads `queue`, whose handler acks.
std::string file_with(const std::string& steps) {
    return R"({"name": "live", "transport": "rabbitmq", "subscriptions": [{"name": "reads",)"
           R"( "source": {"queue": ")" +
           queue + R"("}, "handler": ["ack"]}], "steps": [)" + steps + "]}";
}

struct run {
    std::string url = server_url();
    bool discards = false;
    scenario::trace::sink sees = [](const json::value&) {};

    scenario::result play(const std::string& steps) {
        const auto text = file_with(steps);
        const auto told = scenario::read(text);
        REQUIRE(told.has_value());
        scenario::live_options how;
        how.url = url;
        how.discards = discards;
        return scenario::play_live(*told, text, how, sees);
    }
};

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
    CHECK(std::chrono::steady_clock::now() - begun < 10s);
    REQUIRE(came.problems.size() == 1);
    CHECK(came.problems[0].what.starts_with("its three channels cannot be opened: "));
    CHECK(came.problems[0].fix.find("channel_max") != std::string::npos);
}
