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
using waybill::rabbitmq::exchange_key;
using waybill::rabbitmq::queue;

namespace {

waybill::outcome always_retry(const call&, waybill::context&) { return waybill::retry(); }
waybill::outcome always_ack(const call&, waybill::context&) { return waybill::ack(); }

bool says(const service& one, std::string_view part) {
    return one.health().reason.find(part) != std::string::npos;
}

std::string vhost() { return "-p " + login_of_server().vhost; }

}  // namespace

TEST_CASE("a dead letter that is deleted meanwhile holds its messages up, and loses none") {
    for (const bool quorum : {false, true}) {
        plain_client client;
        const std::string name = "trouble.dead-letter";
        client.delete_queue(name);
        client.delete_queue(name + ".dead");
        queue from{name};
        if (quorum) from.quorum();
        service reads;
        reads.subscribe(from, always_retry).max_attempts(1).dead_letter(name + ".dead");
        reads.start();
        client.delete_queue(name + ".dead");
        client.fill(name, 5);
        REQUIRE(eventually([&] { return reads.count(name) == 5; }));
        REQUIRE(eventually([&] {
            return reads.health().state == waybill::health_state::degraded && says(reads, name);
        }));
        // The publish is repeated meanwhile; the handler is not.
        std::this_thread::sleep_for(2s);
        CHECK(reads.count(name) == 5);
        CHECK(!client.exists(name + ".dead"));
        client.make_queue(name + ".dead");
        REQUIRE(eventually([&] { return client.ready(name + ".dead") == 5; }, 60s));
        CHECK(eventually([&] { return reads.health().state == waybill::health_state::running; },
                         60s));
        CHECK(reads.stop());
        CHECK(reads.count(name) == 5);
        CHECK(client.ready(name) == 0);
    }
}

TEST_CASE("a stop while the dead letter is missing gives the messages back") {
    plain_client client;
    const std::string name = "trouble.dead-letter-stop";
    client.delete_queue(name);
    client.delete_queue(name + ".dead");
    service reads;
    reads.app().stop_limit(1s);
    reads.subscribe(queue{name}, always_retry).max_attempts(1).dead_letter(name + ".dead");
    reads.start();
    client.delete_queue(name + ".dead");
    client.fill(name, 5);
    REQUIRE(eventually([&] { return reads.count(name) == 5; }));
    (void)reads.stop();
    CHECK(eventually([&] { return client.ready(name) == 5; }));
}

TEST_CASE("a server that is short of memory makes publishers wait, and nothing is lost") {
    plain_client client;
    const std::string name = "trouble.blocked";
    client.delete_queue(name);
    client.delete_queue(name + ".dead");
    std::atomic<bool> goes_on{false};
    service reads;
    reads
        .subscribe(queue{name},
                   [&](const call& seen, waybill::context&) -> waybill::outcome {
                       while (!goes_on) std::this_thread::sleep_for(5ms);
                       return seen.attempt == 1 ? waybill::retry() : waybill::ack();
                   })
        .max_attempts(3)
        .dead_letter(name + ".dead");
    reads.start();
    client.fill(name, 20);
    REQUIRE(eventually([&] { return reads.count(name) == 1; }));
    restored memory{"set_vm_memory_high_watermark absolute 1MiB",
                    "set_vm_memory_high_watermark 0.4"};
    goes_on = true;
    CHECK(eventually([&] {
        return reads.health().state == waybill::health_state::degraded &&
               says(reads, "no publishes");
    }));
    const auto before = reads.count(name);
    std::this_thread::sleep_for(500ms);
    for (const auto& each : reads.calls(name)) CHECK(each.attempt == 1);
    CHECK(reads.count(name) >= before);
    memory.now();
    REQUIRE(eventually([&] { return reads.count(name) == 40; }, 60s));
    CHECK(eventually([&] { return reads.health().state == waybill::health_state::running; }));
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
}

TEST_CASE("waiting queues that are still to be made wait for a server that is short of memory") {
    plain_client client;
    const std::string name = "trouble.blocked-waits";
    client.delete_queue(name);
    std::atomic<bool> goes_on{false};
    // Each has a delay of its own; the connection's patience is over twice meanwhile.
    service reads{server_url() + "?connection_timeout=3000"};
    reads.subscribe(queue{name}, [&](const call& seen, waybill::context&) -> waybill::outcome {
        while (!goes_on) std::this_thread::sleep_for(5ms);
        const auto delay = std::chrono::milliseconds{1000 + 100 * std::stoi(seen.body)};
        return seen.attempt == 1 ? waybill::retry_after(delay) : waybill::ack();
    });
    reads.start();
    client.fill(name, 20);
    REQUIRE(eventually([&] { return reads.count(name) == 1; }));
    restored memory{"set_vm_memory_high_watermark absolute 1MiB",
                    "set_vm_memory_high_watermark 0.4"};
    goes_on = true;
    CHECK(eventually([&] {
        return reads.health().state == waybill::health_state::degraded &&
               says(reads, "no publishes");
    }));
    std::this_thread::sleep_for(7s);
    memory.now();
    REQUIRE(eventually([&] { return reads.count(name) == 40; }, 60s));
    CHECK(reads.log().find("connection_lost") == std::string::npos);
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
}

namespace {

/// Of 60 messages one is published to where the server does not take it; the others reach `.out`.
void one_offender(const std::string& name, const std::string& where,
                  const std::vector<std::byte>& body, int attempts) {
    plain_client client;
    client.delete_queue(name);
    client.delete_queue(name + ".dead");
    client.make_queue(name + ".out");
    service reads;
    reads
        .subscribe(queue{name}.prefetch(60),
                   [&](const call& seen, waybill::context& at) -> waybill::outcome {
                       if (seen.body == "31") {
                           at.publish(where, body);
                       } else {
                           at.publish(name + ".out", at.message().payload());
                       }
                       return waybill::ack();
                   })
        .max_attempts(attempts)
        .dead_letter(name + ".dead");
    reads.start();
    client.fill(name, 60);
    REQUIRE_MESSAGE(eventually([&] { return client.ready(name + ".dead") >= 1; }), reads.log());
    REQUIRE(
        eventually([&] { return client.ready(name + ".out") >= 59 && client.ready(name) == 0; }));
    CHECK(reads.stop());
    std::map<std::string, int> there;
    for (const auto& each : client.drain(name + ".out")) ++there[each.body];
    CHECK(there.size() == 59);
    for (const auto& [each, times] : there) CHECK_MESSAGE(times <= 2, each);
    // A copy of it may have been in flight when its like closed the channel again.
    for (const auto& each : client.drain(name + ".dead")) CHECK(each.body == "31");
    CHECK(client.ready(name) == 0);
}

const std::vector<std::byte> small(10);

}  // namespace

TEST_CASE("a publish to an exchange that is not there fails alone") {
    one_offender("trouble.404", exchange_key("trouble.nowhere", "key"), small, 2);
}

TEST_CASE("a publish without the right to it fails alone") {
    plain_client client;
    client.make_exchange("forbidden.exchange", "fanout");
    const auto user = login_of_server().user;
    const restored rights{
        "set_permissions " + vhost() + ' ' + user + " '.*' '^(?!forbidden).*' '.*'",
        "set_permissions " + vhost() + ' ' + user + " '.*' '.*' '.*'"};
    one_offender("trouble.403", exchange_key("forbidden.exchange", "key"), small, 2);
}

TEST_CASE("a publish that is too large for the server fails alone") {
    if (server_version().major >= 4) {
        one_offender("trouble.size", "trouble.size.out", std::vector<std::byte>(17U << 20U), 1);
        return;
    }
    const restored size{"eval 'application:set_env(rabbit, max_message_size, 100000).'",
                        "eval 'application:set_env(rabbit, max_message_size, 134217728).'"};
    one_offender("trouble.size", "trouble.size.out", std::vector<std::byte>(200'000), 1);
}

TEST_CASE("a queue that is deleted is made again and read on") {
    plain_client client;
    const std::string name = "trouble.deleted";
    client.delete_queue(name);
    service reads;
    reads.subscribe(queue{name}, always_ack);
    reads.start();
    client.fill(name, 3);
    REQUIRE(eventually([&] { return reads.count(name) == 3; }));
    client.delete_queue(name);
    REQUIRE(eventually([&] { return client.exists(name); }));
    client.fill(name, 3);
    CHECK(eventually([&] { return reads.count(name) == 6; }));
    CHECK(reads.stop());
}

TEST_CASE("the topology is declared again after a server lost it, the dead letter with it") {
    plain_client client;
    const std::string name = "trouble.topology";
    for (const auto* each : {"", ".dead"}) client.delete_queue(name + each);
    client.delete_exchange("trouble.events");
    faults::proxy between{server_port()};
    service reads{server_url(between.port())};
    reads.config().declare(waybill::rabbitmq::exchange::topic("trouble.events"));
    reads.subscribe(queue{name}.bind("trouble.events", "clicks.#"), always_retry)
        .max_attempts(1)
        .dead_letter(name + ".dead");
    reads.start();
    between.act("refuse");
    between.act("cut all reset");
    REQUIRE(eventually([&] { return reads.health().state == waybill::health_state::degraded; }));
    for (const auto* each : {"", ".dead"}) client.delete_queue(name + each);
    client.delete_exchange("trouble.events");
    between.act("allow");
    REQUIRE(eventually([&] { return reads.health().state == waybill::health_state::running; }));
    client.publish("trouble.events", "clicks.left", "one");
    client.confirm();
    CHECK(eventually(
        [&] { return client.exists(name + ".dead") && client.ready(name + ".dead") == 1; }));
    CHECK(reads.stop());
}

TEST_CASE("a connection that falls while the service stops costs the messages no attempt") {
    plain_client client;
    const std::string name = "trouble.stop";
    client.delete_queue(name);
    client.delete_queue(name + ".dead");
    faults::proxy between{server_port()};
    std::atomic<bool> goes_on{false};
    service reads{server_url(between.port())};
    reads
        .subscribe(queue{name}.quorum(),
                   [&](const call&, waybill::context&) -> waybill::outcome {
                       while (!goes_on) std::this_thread::sleep_for(5ms);
                       return waybill::ack();
                   })
        .max_attempts(5)
        .dead_letter(name + ".dead");
    reads.start();
    client.fill(name, 5);
    REQUIRE(eventually([&] { return reads.count(name) == 1; }));
    const auto delivered = [&] { return between.seen(faults::side::server, "basic.deliver"); };
    REQUIRE(eventually([&] { return delivered() == 5; }));
    std::thread stops{[&] { (void)reads.stop(); }};
    const auto connected = between.accepted();
    REQUIRE(eventually([&] { return between.seen(faults::side::client, "basic.cancel") >= 1; }));
    between.act("cut all reset");
    REQUIRE(eventually([&] { return between.accepted() >= connected + 2; }));
    std::this_thread::sleep_for(1s);
    CHECK(delivered() == 5);
    goes_on = true;
    stops.join();
    CHECK(eventually([&] { return client.ready(name) == 5; }));
}

TEST_CASE("several hosts are tried in turn") {
    plain_client client;
    const std::string name = "trouble.hosts";
    client.delete_queue(name);
    auto url = server_url();
    // Nobody listens at port 1.
    service reads{url.insert(url.find('@') + 1, "127.0.0.1:1,")};
    reads.subscribe(queue{name}, always_ack);
    reads.start();
    client.fill(name, 3);
    CHECK(eventually([&] { return reads.count(name) == 3; }));
    CHECK(reads.stop());
}
