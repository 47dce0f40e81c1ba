#include "faults/proxy/proxy.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"
#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;

namespace {

waybill::outcome always_ack(const call&, waybill::context&) { return waybill::ack(); }

/// `count` messages of which the first `returned` were delivered before.
void fill_with_returned(plain_client& client, const std::string& name, int count, int returned) {
    client.fill(name, count);
    {
        plain_client other;
        for (int each = 0; each < returned; ++each) REQUIRE(other.hold(name).has_value());
    }
    REQUIRE(eventually([&] { return client.ready(name) == static_cast<std::uint32_t>(count); }));
}

/// The window is 1 up to the first message that nobody had, then whole.
void careful(const std::string& name, const queue& from, std::size_t window = 16) {
    plain_client client;
    client.delete_queue(name);
    {
        service declares;
        declares.subscribe(from, always_ack);
        declares.start();
    }
    constexpr std::size_t returned = 8;
    fill_with_returned(client, name, 60, returned);
    faults::proxy between{server_port()};
    service reads{server_url(between.port())};
    std::atomic<bool> goes_on{false};
    const auto delivered = [&] { return between.seen(faults::side::server, "basic.deliver"); };
    std::atomic<int> early{0};
    reads.subscribe(from, [&](const call& seen, waybill::context&) -> waybill::outcome {
        if (seen.redelivered) {
            std::this_thread::sleep_for(20ms);  // time for what must not come
            if (delivered() != reads.count(name)) ++early;
        } else {
            while (!goes_on) std::this_thread::sleep_for(5ms);
        }
        return waybill::ack();
    });
    reads.start();
    REQUIRE(eventually([&] { return reads.count(name) == returned + 1; }));
    CHECK(early == 0);
    // The first new one is in hand, and nothing else moves.
    CHECK(eventually([&] { return delivered() == returned + window; }));
    std::this_thread::sleep_for(100ms);
    CHECK(delivered() == returned + window);
    goes_on = true;
    REQUIRE(eventually([&] { return reads.count(name) == 60; }));
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
}

/// What is in a queue that deletes itself is read to its end.
void keeps_itself(const std::string& name, const queue& from) {
    plain_client client;
    client.delete_queue(name);
    auto spec = from.said().spec;
    spec.auto_delete = true;
    {
        const auto settings = waybill::rabbitmq::parse_url(server_url());
        REQUIRE(settings.has_value());
        const auto by = waybill::rabbitmq::make_connector(*settings)->open("declares");
        REQUIRE(by.has_value());
        REQUIRE((*by)->open_channel(1).has_value());
        REQUIRE((*by)->declare(1, spec, false).has_value());
        (*by)->close();
    }
    client.fill(name, 60);
    service reads;
    reads.subscribe(from, always_ack);
    reads.start();
    CHECK(eventually([&] { return reads.count(name) == 60; }));
    CHECK(client.exists(name));
    client.fill(name, 60);
    CHECK(eventually([&] { return reads.count(name) == 120; }));
    CHECK_MESSAGE(reads.stop(), reads.log());
}

}  // namespace

TEST_CASE("after a start one delivery is in hand until the first that nobody had") {
    careful("consumers.classic", queue{"consumers.classic"});
    careful("consumers.quorum", std::move(queue{"consumers.quorum"}.quorum()));
}

TEST_CASE("a consumer that must be alone is as careful") {
    // The consumer that is taken up again does not count what its predecessor has in hand.
    careful("consumers.exclusive", std::move(queue{"consumers.exclusive"}.exclusive_consumer()),
            17);
    careful("consumers.single", std::move(queue{"consumers.single"}.single_active_consumer()), 17);
}

TEST_CASE("a queue of others gets its window though nobody said that one consumer is active") {
    plain_client client;
    const std::string name = "consumers.others";
    client.delete_queue(name);
    {
        service declares;
        declares.subscribe(queue{name}.quorum().single_active_consumer(), always_ack);
        declares.start();
    }
    client.fill(name, 60);
    std::atomic<bool> goes_on{false};
    service reads;
    reads.subscribe(queue{name}.quorum().passive(),
                    [&](const call&, waybill::context&) -> waybill::outcome {
                        while (!goes_on) std::this_thread::sleep_for(5ms);
                        return waybill::ack();
                    });
    reads.start();
    // One, and the window of its successor.
    CHECK(eventually([&] { return client.ready(name) == 60 - 17; }));
    goes_on = true;
    CHECK(eventually([&] { return reads.count(name) == 60; }));
    CHECK(reads.stop());
}

TEST_CASE("a queue that deletes itself keeps what it holds while the window gets wider") {
    const std::string name = "consumers.passing";
    keeps_itself(name, queue{name}.auto_delete());
    keeps_itself(name, queue{name}.auto_delete().single_active_consumer());
    keeps_itself(name, queue{name}.auto_delete().exclusive_consumer());
    keeps_itself(name, queue{name}.passive().single_active_consumer());
    keeps_itself(name, queue{name}.passive().exclusive_consumer());
    keeps_itself(name, queue{name}.declared_elsewhere().exclusive_consumer());
}

TEST_CASE("of two single active consumers one reads, and the other when it has ended") {
    plain_client client;
    const std::string name = "consumers.active";
    client.delete_queue(name);
    auto from = queue{name}.quorum().single_active_consumer();
    service first;
    first.subscribe(from, always_ack);
    first.start();
    client.fill(name, 20);
    REQUIRE(eventually([&] { return first.count(name) == 20; }));
    service second;
    second.subscribe(from, always_ack);
    second.start();
    client.fill(name, 20);
    REQUIRE(eventually([&] { return first.count(name) == 40; }));
    CHECK(second.count(name) == 0);
    CHECK(first.stop());
    client.fill(name, 20);
    CHECK(eventually([&] { return second.count(name) == 20; }));
    CHECK(second.stop());
}

TEST_CASE("beside an exclusive consumer there is no other") {
    plain_client client;
    const std::string name = "consumers.alone";
    client.delete_queue(name);
    auto from = queue{name}.exclusive_consumer();
    service first;
    first.subscribe(from, always_ack);
    first.start();
    service second;
    second.subscribe(from, always_ack);
    std::string why;
    try {
        second.start();
    } catch (const std::runtime_error& said) {
        why = said.what();
    }
    CHECK(why.find(name) != std::string::npos);
    CHECK(why.find("exclusive") != std::string::npos);
    CHECK(first.stop());
}

TEST_CASE("a stop finishes what is in hand and gives back what nobody has taken") {
    plain_client client;
    const std::string name = "consumers.stop";
    client.delete_queue(name);
    std::atomic<bool> goes_on{false};
    service reads;
    reads.subscribe(queue{name}, [&](const call&, waybill::context&) -> waybill::outcome {
        while (!goes_on) std::this_thread::sleep_for(5ms);
        return waybill::ack();
    });
    reads.start();
    client.fill(name, 40);
    REQUIRE(eventually([&] { return client.ready(name) == 24; }));
    std::thread stops{[&] { CHECK(reads.stop()); }};
    // All but the one that the handler has, before it is done.
    CHECK(eventually([&] { return client.ready(name) >= 30; }));
    goes_on = true;
    stops.join();
    const auto handled = static_cast<std::uint32_t>(reads.count(name));
    CHECK(eventually([&] { return client.ready(name) == 40 - handled; }));
    // In the order in which they were sent.
    int next = static_cast<int>(handled);
    for (const auto& each : client.drain(name)) CHECK(each.body == std::to_string(next++));
}

TEST_CASE("near the server's own limit a message is copied, so that the server never drops it") {
    plain_client client;
    const std::string name = "consumers.limit";
    client.delete_queue(name);
    service reads;
    reads.subscribe(queue{name}.quorum().delivery_limit(4),
                    [runs = std::make_shared<std::map<std::string, int>>()](
                        const call& seen, waybill::context&) -> waybill::outcome {
                        return ++(*runs)[seen.body] <= 10 ? waybill::retry() : waybill::ack();
                    });
    reads.start();
    client.fill(name, 3);
    REQUIRE_MESSAGE(eventually([&] { return reads.count(name) == 33; }, 200s), reads.log());
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
}

/// Asks for a retry 25 times without a cap, which is more than a quorum queue allows by default.
void retry_past_the_limit(plain_client& client, const std::string& name, const queue& from) {
    constexpr int retries = 25;
    service reads;
    reads.subscribe(
        from, [runs = std::make_shared<int>()](const call&, waybill::context&) -> waybill::outcome {
            return ++*runs <= retries ? waybill::retry() : waybill::ack();
        });
    reads.start();
    client.publish("", name, "0");
    client.confirm();
    CHECK_MESSAGE(eventually([&] { return reads.count(name) == retries + 1; }, 200s), reads.log());
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
}

TEST_CASE("a quorum queue that is not said to be one drops nothing at its limit") {
    plain_client client;
    const std::string name = "consumers.unsaid";
    client.make_queue(name, {{"x-queue-type", "quorum"}});
    retry_past_the_limit(client, name, queue{name}.declared_elsewhere());
    retry_past_the_limit(client, name, queue{name}.passive());
    client.delete_queue(name);
    retry_past_the_limit(client, name, queue{name}.argument("x-queue-type", "quorum"));
    client.delete_queue(name);
    retry_past_the_limit(client, name,
                         queue{name}.quorum().argument("x-delivery-limit", std::int64_t{4}));
}

TEST_CASE("TLS with a verified server, and the client's certificate in the place of a password") {
    plain_client client;
    const std::string name = "consumers.tls";
    client.delete_queue(name);
    const auto folder = environment("WAYBILL_RABBITMQ_CERTIFICATES");
    for (const bool external : {false, true}) {
        auto url = environment(external ? "WAYBILL_RABBITMQ_EXTERNAL" : "WAYBILL_RABBITMQ_TLS") +
                   "?cacertfile=" + folder + "/ca.crt";
        if (external) {
            url += "&auth_mechanism=external&certfile=" + folder + "/client.crt&keyfile=" + folder +
                   "/client.key";
        }
        service reads{url};
        reads
            .subscribe(queue{name},
                       [](const call& seen, waybill::context&) {
                           return seen.attempt == 1 ? waybill::retry() : waybill::ack();
                       })
            .max_attempts(3)
            .dead_letter(name + ".dead");
        reads.start();
        client.fill(name, 30);
        CHECK(eventually([&] { return reads.count(name) == 60; }));
        CHECK(reads.stop());
    }
}
