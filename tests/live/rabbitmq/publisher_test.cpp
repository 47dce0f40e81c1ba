/// What becomes of a publish from outside of a handler when the server or the way there does not
/// take it.
#include "faults/proxy/proxy.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"
#include <waybill/publisher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace live;
using namespace std::chrono_literals;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

std::vector<waybill::outgoing> numbered(const std::string& address, int count) {
    std::vector<waybill::outgoing> all;
    for (int each = 0; each < count; ++each) {
        all.emplace_back(address, bytes_of(std::to_string(each)));
    }
    return all;
}

std::map<std::string, int> bodies(const std::vector<plain_message>& all) {
    std::map<std::string, int> there;
    for (const auto& each : all) ++there[each.body];
    return there;
}

}  // namespace

TEST_CASE(
    "a publisher waits while the server is short of memory, health says why, and it goes on") {
    plain_client client;
    const std::string name = "publisher.blocked";
    client.make_queue(name);
    service one{server_url() + "?heartbeat=1"};
    const auto publisher = one.broker().publisher();
    one.start();
    REQUIRE(publisher.publish(name, bytes_of("before")));
    restored memory{"set_vm_memory_high_watermark absolute 1MiB",
                    "set_vm_memory_high_watermark 0.4"};
    std::vector<std::future<bool>> all;
    for (int each = 0; each < 3; ++each) {
        all.push_back(std::async(std::launch::async, [&, each] {
            return publisher.publish(name, bytes_of(std::to_string(each))).has_value();
        }));
    }
    CHECK(eventually([&] {
        const auto now = one.health();
        return now.state == waybill::health_state::degraded &&
               now.reason.find("no publishes") != std::string::npos;
    }));
    // Longer than the heartbeats allow to be silent.
    for (auto& each : all) CHECK(each.wait_for(1s) == std::future_status::timeout);
    CHECK(client.ready(name) == 1);
    memory.now();
    for (auto& each : all) {
        REQUIRE(each.wait_for(30s) == std::future_status::ready);
        CHECK(each.get());
    }
    CHECK(eventually([&] { return one.health().state == waybill::health_state::running; }));
    CHECK(one.stop());
    CHECK_MESSAGE(one.log().find("connection_lost") == std::string::npos, one.log());
    CHECK(bodies(client.drain(name)) ==
          std::map<std::string, int>{{"before", 1}, {"0", 1}, {"1", 1}, {"2", 1}});
}

TEST_CASE("what is in flight when a publisher's connection is cut is sent again and confirmed") {
    plain_client client;
    const std::string name = "publisher.cut";
    constexpr int count = 50;
    // Before the server has all of it, and before the confirmations are back.
    for (const auto* rule :
         {"client basic.publish 20 inside 4 cut reset", "client basic.publish 50 after cut reset",
          "server basic.ack 1 before cut reset"}) {
        CAPTURE(rule);
        client.make_queue(name);
        faults::proxy between{server_port()};
        service one{server_url(between.port())};
        const auto publisher = one.broker().publisher();
        one.start();
        between.add(rule);
        const auto connected = between.accepted();
        const auto all = numbered(name, count);
        for (const auto& each : publisher.publish_all(all)) {
            CHECK_MESSAGE(each.has_value(), (each ? "" : each.error().message()));
        }
        CHECK(between.acted() == 1);
        CHECK(between.accepted() == connected + 1);
        CHECK(one.stop());
        const auto there = bodies(client.drain(name));
        CHECK(there.size() == count);
        for (const auto& [body, times] : there) CHECK_MESSAGE(times <= 2, body);
    }
}

TEST_CASE("a publish that finds no connection waits for the next one") {
    plain_client client;
    const std::string name = "publisher.away";
    client.make_queue(name);
    faults::proxy between{server_port()};
    service one{server_url(between.port())};
    const auto publisher = one.broker().publisher();
    one.start();
    between.act("refuse");
    between.act("cut all reset");
    REQUIRE(eventually([&] { return one.health().state == waybill::health_state::degraded; }));
    auto sent = std::async(std::launch::async,
                           [&] { return publisher.publish(name, bytes_of("late")).has_value(); });
    CHECK(sent.wait_for(300ms) == std::future_status::timeout);
    between.act("allow");
    REQUIRE(sent.wait_for(30s) == std::future_status::ready);
    CHECK(sent.get());
    CHECK(one.stop());
    CHECK(bodies(client.drain(name)) == std::map<std::string, int>{{"late", 1}});
}
