// Faults that users of other frameworks reported: storms, shutdown and restart. Where threads
// matter, the app runs on its own; nothing here sleeps.
#include "shop.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <thread>

using namespace std::chrono_literals;

namespace lifecycle_reports {

using support::always;
using support::attempts;
using support::copies_only;
using support::shop;
using waybill::test_app;
using waybill::memory::fan_out;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

TEST_CASE("B87: a message that always fails does not spin, and starves nobody") {
    const server at;
    std::atomic<int> failed{0};
    std::latch done{100};
    auto app = shop(
        at,
        [&](std::uint32_t) {
            ++failed;
            return waybill::retry();
        },
        0);
    app.log_to([](std::string_view) {});
    app.broker(waybill::memory::broker{at})
        .subscribe(fan_out("orders"), [&](std::span<const std::byte>) { done.count_down(); })
        .name("healthy");
    REQUIRE(app.start().has_value());
    const auto began = std::chrono::steady_clock::now();
    for (int each = 0; each < 100; ++each) REQUIRE(at.publish("orders", "a"));
    done.wait();
    CHECK(app.stop());
    // Each message: at once, then after 10 ms, 20 ms, 40 ms and so on.
    std::chrono::nanoseconds pauses{0};
    int most = 1;
    const auto took = std::chrono::steady_clock::now() - began;
    for (auto pause = 10ms; pauses <= took; pause *= 2) {
        pauses += pause;
        ++most;
    }
    CHECK(failed <= 100 * (most + 1));
    CHECK(at.queued("orders") + at.waiting() == 100);
}

TEST_CASE("B103: a subscriber that does not answer keeps nobody else from the message") {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    std::vector<waybill::settlement> kept;
    broker.subscribe(queue("orders"), [&](waybill::settlement s) { kept.push_back(std::move(s)); })
        .name("silent");
    broker.subscribe(fan_out("orders"), [](std::span<const std::byte>) {}).name("healthy");
    test_app tb{std::move(app)};
    for (int each = 0; each < 3; ++each) tb.publish_raw("orders", "a");
    CHECK(tb.calls("silent") == 1);
    CHECK(tb.calls("healthy") == 3);
}

TEST_CASE("B177: after a stop nothing is published or started, and a second stop is fine") {
    const server at;
    waybill::app app{"shop", "1"};
    app.log_to([](std::string_view) {});
    auto& broker = app.broker(waybill::memory::broker{at});
    broker.subscribe(queue("orders"), [](std::span<const std::byte>) {});
    const auto way = broker.publisher();
    const auto before = way.publish("orders", std::span<const std::byte>{});
    REQUIRE_FALSE(before.has_value());
    CHECK(before.error().code == waybill::errc::stopped);

    REQUIRE(app.start().has_value());
    CHECK(way.publish("orders", std::span<const std::byte>{}).has_value());
    CHECK(app.stop());
    const auto after = way.publish("orders", std::span<const std::byte>{});
    REQUIRE_FALSE(after.has_value());
    CHECK(after.error().code == waybill::errc::stopped);
    CHECK(at.queued("orders") <= 1);
    CHECK(app.stop());
    CHECK_FALSE(app.start().has_value());
    CHECK(app.health().state == waybill::health_state::stopped);
}

TEST_CASE("B178: a stop lets the handlers that run settle their deliveries, and takes no more") {
    const server at;
    std::latch inside{3};
    std::latch leave{1};
    std::atomic<int> calls{0};
    auto app = shop(
        at,
        [&](std::uint32_t) {
            ++calls;
            inside.count_down();
            leave.wait();
            return waybill::ack();
        },
        5, [](auto& charge) { charge.concurrency(3); });
    app.log_to([](std::string_view) {});
    for (int each = 0; each < 3; ++each) REQUIRE(at.publish("orders", "a"));
    REQUIRE(app.start().has_value());
    inside.wait();
    bool finished = false;
    std::thread stopping{[&] { finished = app.stop(); }};
    while (app.health().state != waybill::health_state::stopping) std::this_thread::yield();
    leave.count_down();
    stopping.join();
    CHECK(finished);
    CHECK(calls == 3);
    CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);

    test_app again{shop(at, always(waybill::ack()), 5)};
    CHECK(again.calls("charge") == 0);
}

TEST_CASE("B179: a stop does not wait for a wait, and does not lose it") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        auto app = shop(at, always(waybill::retry_after(1h)), 5);
        app.log_to([](std::string_view) {});
        test_app tb{std::move(app)};
        tb.publish_raw("orders", "a");
        CHECK(tb.stop());
        CHECK(tb.now() == 0s);
        CHECK(at.queued("orders") + at.waiting() == 1);
    }
}

TEST_CASE("B181: a message whose wait a restart interrupts comes at its time") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        std::shared_ptr<waybill::manual_clock> time;
        {
            test_app tb{shop(at, always(waybill::retry_after(5s)), 5)};
            time = tb.time();
            tb.publish_raw("orders", "a");
            tb.advance(2s);
            CHECK(tb.stop());
        }
        time->advance_by(1s);
        test_app tb{shop(at, always(waybill::ack()), 5), waybill::with_clock(time)};
        tb.advance(1'999'999'999ns);
        CHECK(tb.calls("charge") == 0);
        tb.advance(1ns);
        CHECK(attempts(tb) == std::vector<std::uint32_t>{2});
        tb.advance(20s);
        CHECK(tb.calls("charge") == 1);
    }
}

}  // namespace lifecycle_reports
