// What comes back to a queue without anybody having answered for it, and what comes back as a copy.
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace rabbitmq_returns_test {

using namespace std::chrono_literals;
namespace rabbitmq = waybill::rabbitmq;
using rabbitmq::fake_server;
using rabbitmq::queue;

constexpr const char* url = "amqp://returns-test.invalid";

/// A service with four lanes that answers when the test says so.
struct deferred_shop {
    std::deque<waybill::settlement> open;

    waybill::app make(queue orders, std::int64_t cap) {
        waybill::app app{"shop", "1"};
        app.log_level(waybill::log_level::off);
        app.broker(rabbitmq::broker{url})
            .subscribe(std::move(orders),
                       [this](waybill::settlement s) { open.push_back(std::move(s)); })
            .max_attempts(cap)
            .dead_letter("orders.dead")
            .concurrency(4);
        return app;
    }
    void ack_all(waybill::test_app& tb) {
        while (!open.empty()) {
            auto oldest = std::move(open.front());
            open.pop_front();
            std::move(oldest).ack();
            tb.rest();
        }
    }
};

TEST_CASE(
    "connections that fall end no message that nobody has answered for, however small the limit") {
    for (const auto version : {rabbitmq::server_version::v3_10, rabbitmq::server_version::v4_0}) {
        for (const std::uint32_t limit : {1U, 2U, 3U, 4U}) {
            CAPTURE(limit);
            rabbitmq::server_options how;
            how.version = version;
            const fake_server server{url, how};
            deferred_shop shop;
            waybill::test_app tb{shop.make(queue("orders").quorum().delivery_limit(limit), 3)};
            for (int at = 0; at < 5; ++at) REQUIRE(server.publish("orders", "x") == 1);
            tb.rest();
            for (int falls = 0; falls < 2; ++falls) {
                REQUIRE(!shop.open.empty());
                server.drop_connections();
                tb.advance(10s);
            }
            shop.ack_all(tb);
            CHECK(server.queued("orders") + server.unsettled() == 0);
            CHECK(server.queued("orders.dead") == 0);
        }
    }
}

TEST_CASE("a message that kills its process ends at the cap, however small the limit") {
    for (const std::uint32_t limit : {2U, 3U, 4U}) {
        CAPTURE(limit);
        const fake_server server{url};
        int kills = 0;
        for (; kills < 50 && server.queued("orders.dead") == 0; ++kills) {
            deferred_shop shop;
            waybill::test_app tb{shop.make(queue("orders").quorum().delivery_limit(limit), 3)};
            if (kills == 0) REQUIRE(server.publish("orders", "x") == 1);
            tb.rest();
            server.drop_connections();
        }
        CHECK(server.queued("orders.dead") == 1);
        CHECK(kills < 20);
    }
}

TEST_CASE("copies that answers made open the window like any other new message") {
    for (const auto version : {rabbitmq::server_version::v3_10, rabbitmq::server_version::v4_0,
                               rabbitmq::server_version::v4_3}) {
        CAPTURE(static_cast<int>(version));
        rabbitmq::server_options how;
        how.version = version;
        const fake_server server{url, how};
        deferred_shop shop;
        waybill::test_app tb{shop.make(queue("orders").quorum(), 5)};
        const waybill::headers copied{{"waybill-retry-count", "1"},
                                      {"waybill-retry-source", "orders"}};
        for (int at = 0; at < 8; ++at) REQUIRE(server.publish("orders", "x", copied) == 1);
        tb.rest();
        CHECK(shop.open.size() == 4);
        CHECK(tb.calls("orders")[0].attempt == 2);
    }
}

TEST_CASE("a wait that ends behind the calendar's end does not end early") {
    const fake_server server{url};
    waybill::app app{"shop", "1"};
    app.broker(rabbitmq::broker{url})
        .subscribe(queue("orders"),
                   [](std::span<const std::byte>) {
                       return waybill::retry_after(std::chrono::hours::max());
                   })
        .max_attempts(3)
        .dead_letter("orders.dead");
    waybill::test_app tb{std::move(app)};
    REQUIRE(server.publish("orders", "x") == 1);
    tb.advance(24h * 365);
    CHECK(tb.calls("orders") == 1);
    CHECK(server.waiting() == 1);
}

TEST_CASE("what waits and is nobody's copy goes on waiting for its own reader alone") {
    const fake_server server{url};
    waybill::app app{"shop", "1"};
    rabbitmq::broker at{url};
    at.declare(rabbitmq::exchange::fanout("events"));
    auto& broker = app.broker(std::move(at));
    for (const auto* name : {"first", "second"}) {
        broker
            .subscribe(queue(name).bind("events", ""),
                       [](std::span<const std::byte>) { return waybill::ack(); })
            .max_attempts(3)
            .retry_to(waybill::delivery_address)
            .dead_letter(std::string{name} + ".dead");
    }
    waybill::test_app tb{std::move(app)};
    const auto due = std::to_string((tb.time()->wall() + 31s).count());
    REQUIRE(server.publish({"events", ""}, "x", {{"waybill-due", due}}) == 2);
    tb.advance(1min);
    CHECK(tb.calls("first") == 1);
    CHECK(tb.calls("second") == 1);
    CHECK(server.waiting() == 0);
}

}  // namespace rabbitmq_returns_test
