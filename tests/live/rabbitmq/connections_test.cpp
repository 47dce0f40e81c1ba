/// What a connection outlives, and what a service outlives when it loses one.
#include "faults/proxy/proxy.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;

namespace {

std::set<std::string> bodies(const std::vector<plain_message>& all) {
    std::set<std::string> there;
    for (const auto& each : all) there.insert(each.body);
    return there;
}

bool is_running(const service& one) { return one.health().state == waybill::health_state::running; }

/// The server waits for an ack no longer than 5 s; a channel asks for both when it is opened.
restored impatience() {
    return {
        "eval 'application:set_env(rabbit, consumer_timeout, 5000), "
        "application:set_env(rabbit, channel_tick_interval, 500).'",
        "eval 'application:set_env(rabbit, consumer_timeout, 1800000), "
        "application:set_env(rabbit, channel_tick_interval, 60000).'"};
}

}  // namespace

TEST_CASE("a handler that blocks longer than three heartbeats keeps its connection") {
    plain_client client;
    const std::string name = "connections.heartbeat";
    client.delete_queue(name);
    client.make_queue(name + ".out");
    faults::proxy between{server_port()};
    service reads{server_url(between.port()) + "?heartbeat=1"};
    reads.subscribe(queue{name}, [&](const call&, waybill::context& at) -> waybill::outcome {
        std::this_thread::sleep_for(4s);
        at.publish(name + ".out", at.message().payload());
        return waybill::ack();
    });
    reads.start();
    client.fill(name, 1);
    REQUIRE(eventually([&] { return client.ready(name + ".out") == 1; }));
    CHECK(reads.stop());
    CHECK(between.accepted() == 2);
    // On two connections, at least one a second each; so it is agreed upon, and not the default.
    CHECK(between.seen(faults::side::client, "heartbeat") >= 6);
    CHECK(between.seen(faults::side::server, "heartbeat") >= 6);
    CHECK(reads.count(name) == 1);
    CHECK(client.ready(name) == 0);
    CHECK_MESSAGE(reads.log().find("connection_lost") == std::string::npos, reads.log());
}

TEST_CASE("connections that an operator closes are opened again, and nothing is lost") {
    const std::string name = "connections.closed";
    constexpr std::size_t count = 100;
    {
        plain_client client;
        client.delete_queue(name);
        client.make_queue(name + ".out");
    }
    std::atomic<bool> goes_on{false};
    service reads;
    reads.subscribe(queue{name}, [&](const call&, waybill::context& at) -> waybill::outcome {
        while (reads.count(name) == 20 && !goes_on) std::this_thread::sleep_for(5ms);
        at.publish(name + ".out", at.message().payload());
        return waybill::ack();
    });
    reads.start();
    plain_client{}.fill(name, count);
    REQUIRE(eventually([&] { return reads.count(name) == 20; }));
    ctl("close_all_connections -p " + login_of_server().vhost + " 'for maintenance'");
    const auto says = [&](const char* what) { return reads.log().find(what) != std::string::npos; };
    CHECK_MESSAGE(eventually([&] { return says("for maintenance"); }), reads.log());
    goes_on = true;
    plain_client client;  // those before were closed too
    CHECK(eventually([&] { return reads.by_body(name).size() == count; }));
    CHECK(eventually([&] { return is_running(reads); }));
    CHECK(reads.stop());
    CHECK(bodies(client.drain(name + ".out")).size() == count);
    CHECK(client.ready(name) == 0);
}

TEST_CASE("a delivery that the server has waited for too long comes again, and reading goes on") {
    plain_client client;
    const std::string name = "connections.timeout";
    client.delete_queue(name);
    const auto patience = impatience();
    std::atomic<bool> goes_on{false};
    service reads;
    // 4.3 looks after nothing else.
    const auto from = queue{name}.quorum();
    reads.subscribe(from, [&](const call& seen, waybill::context&) -> waybill::outcome {
        while (seen.body == "0" && !goes_on) std::this_thread::sleep_for(5ms);
        return waybill::ack();
    });
    reads.start();
    client.fill(name, 10);
    const auto says = [&](const char* what) { return reads.log().find(what) != std::string::npos; };
    CHECK_MESSAGE(eventually([&] { return says("reading_ended") && says("reading_again"); }),
                  reads.log());
    goes_on = true;
    CHECK(eventually([&] { return reads.by_body(name).size() == 10; }));
    CHECK(eventually([&] { return reads.by_body(name)["0"] >= 2; }));
    // Before 4.3 the server closes the channel itself, and counts what was in hand on it.
    if (server_version() >= version{4, 3}) {
        for (const auto& each : reads.calls(name)) {
            CAPTURE(each.body);
            CHECK(each.attempt == 1);
        }
    }
    CHECK(eventually([&] { return is_running(reads); }));
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
    CHECK_MESSAGE(!says("connection_lost"), reads.log());
}

TEST_CASE("a delivery that is waited for too long while another one is given back costs nothing") {
    plain_client client;
    const std::string name = "connections.second";
    client.delete_queue(name);
    const auto patience = impatience();
    faults::proxy between{server_port()};
    between.add("client basic.nack 1 before stall 700 client");
    std::atomic<bool> goes_on{false};
    service reads{server_url(between.port())};
    reads.subscribe(queue{name}.quorum(), [&](const call&, waybill::context&) -> waybill::outcome {
        while (!goes_on) std::this_thread::sleep_for(5ms);
        return waybill::ack();
    });
    reads.start();
    client.fill(name, 1);
    REQUIRE(eventually([&] { return reads.count(name) == 1; }));
    std::this_thread::sleep_for(350ms);  // on a second consumer, and later
    client.fill(name, 3);
    CHECK(eventually([&] { return reads.log().find("reading_again") != std::string::npos; }));
    goes_on = true;
    CHECK(eventually([&] { return reads.count(name) == 5; }));
    // Before 4.3 the server closes the channel itself, and counts what was in hand on it.
    if (server_version() >= version{4, 3}) {
        CHECK(between.acted() == 1);
        for (const auto& each : reads.calls(name)) CHECK(each.attempt == 1);
    }
    CHECK(eventually([&] { return client.ready(name) == 0; }));
    CHECK(reads.stop());
}
