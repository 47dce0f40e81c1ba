// Lanes on real threads: who runs where, what a handler that blocks holds up, and wake-ups.
#include "support/tally.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace lanes {

using waybill::test::gate;
using waybill::test::goes_last;
using waybill::test::tally;

struct order {
    std::uint64_t id;
};

waybill::app quiet_app() {
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    return app;
}

/// The threads that ran something.
class thread_notes {
public:
    void note() {
        const std::lock_guard lock{mutex_};
        threads_.insert(std::this_thread::get_id());
    }
    [[nodiscard]] std::size_t count() const {
        const std::lock_guard lock{mutex_};
        return threads_.size();
    }
    [[nodiscard]] bool contains(std::thread::id thread) const {
        const std::lock_guard lock{mutex_};
        return threads_.contains(thread);
    }

private:
    mutable std::mutex mutex_;
    std::set<std::thread::id> threads_;
};

void publish_orders(const waybill::memory::server& server, std::string_view address,
                    std::uint64_t count) {
    for (std::uint64_t id = 0; id < count; ++id) {
        REQUIRE(server.publish(address, R"({"id":)" + std::to_string(id) + "}"));
    }
}

void stops_with_nothing_left(waybill::app& app, const waybill::memory::server& server,
                             std::initializer_list<std::string_view> addresses) {
    CHECK(app.stop());
    CHECK(server.unsettled() == 0);
    for (const auto address : addresses) CHECK(server.queued(address) == 0);
}

TEST_CASE("each lane has a thread of its own, which is not the publisher's") {
    const waybill::memory::server server;
    thread_notes threads;
    tally handled;
    auto app = quiet_app();
    auto& broker = app.broker(waybill::memory::broker{server});
    for (const auto* name : {"a", "b", "c"}) {
        broker.subscribe(waybill::memory::queue(name), [&](const order&) {
            threads.note();
            handled.add();
        });
    }
    REQUIRE(app.start());
    for (const auto* name : {"a", "b", "c"}) publish_orders(server, name, 100);
    CHECK(handled.reaches(300));
    stops_with_nothing_left(app, server, {"a", "b", "c"});
    CHECK(threads.count() == 3);
    CHECK_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_CASE("shared workers run every lane, on no more threads than there are workers") {
    const waybill::memory::server server;
    thread_notes threads;
    tally handled;
    auto app = quiet_app();
    app.workers(2);
    auto& broker = app.broker(waybill::memory::broker{server});
    for (const auto* name : {"a", "b", "c"}) {
        broker
            .subscribe(waybill::memory::queue(name),
                       [&](const order&) {
                           threads.note();
                           handled.add();
                       })
            .concurrency(2);
    }
    REQUIRE(app.start());
    for (const auto* name : {"a", "b", "c"}) publish_orders(server, name, 200);
    CHECK(handled.reaches(600));
    stops_with_nothing_left(app, server, {"a", "b", "c"});
    CHECK(threads.count() >= 1);
    CHECK(threads.count() <= 2);
}

TEST_CASE("inline handlers of one broker share the thread that reads") {
    const waybill::memory::server server;
    thread_notes threads;
    tally handled;
    auto app = quiet_app();
    auto& broker = app.broker(waybill::memory::broker{server});
    for (const auto* name : {"a", "b"}) {
        broker
            .subscribe(waybill::memory::queue(name),
                       [&](const order&) {
                           threads.note();
                           handled.add();
                       })
            .inline_handler();
    }
    REQUIRE(app.start());
    for (const auto* name : {"a", "b"}) publish_orders(server, name, 200);
    CHECK(handled.reaches(400));
    stops_with_nothing_left(app, server, {"a", "b"});
    CHECK(threads.count() == 1);
}

/// The lanes settle what they handled a moment after the handlers return.
bool settles_all_but(const waybill::memory::server& server, std::size_t count) {
    const auto given_up = std::chrono::steady_clock::now() + tally::patience;
    while (server.unsettled() != count) {
        if (std::chrono::steady_clock::now() > given_up) return false;
        std::this_thread::yield();
    }
    return true;
}

/// One of three handlers blocks until the other two have settled 1,000 messages: whatever sleep
/// it might be, they do not wait for it.
void two_of_three_go_on(waybill::app app) {
    const waybill::memory::server server;
    gate released;
    tally blocked;
    tally handled;
    {
        auto mine = std::move(app);
        auto& broker = mine.broker(waybill::memory::broker{server});
        broker.subscribe(waybill::memory::queue("slow"), [&](const order&) {
            blocked.add();
            released.wait();
        });
        broker.subscribe(waybill::memory::queue("a"), [&](const order&) { handled.add(); });
        broker.subscribe(waybill::memory::queue("b"), [&](const order&) { handled.add(); });
        REQUIRE(mine.start());
        publish_orders(server, "slow", 1);
        REQUIRE(blocked.reaches(1));
        publish_orders(server, "a", 500);
        publish_orders(server, "b", 500);
        CHECK(handled.reaches(1000));
        CHECK(settles_all_but(server, 1));
        CHECK(server.queued("a") == 0);
        CHECK(server.queued("b") == 0);
        publish_orders(server, "slow", 2);
        CHECK(blocked.count() == 1);
        released.open();
        CHECK(blocked.reaches(3));
        stops_with_nothing_left(mine, server, {"slow", "a", "b"});
    }
}

TEST_CASE("a handler that blocks holds up no other subscription") {
    two_of_three_go_on(quiet_app());
}

TEST_CASE("with two shared workers, one blocked handler holds up no other subscription") {
    auto app = quiet_app();
    app.workers(2);
    two_of_three_go_on(std::move(app));
}

TEST_CASE("concurrency(n) handles n deliveries at a time") {
    const waybill::memory::server server;
    tally inside;
    tally together;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order&) {
                       inside.add();
                       if (inside.reaches(4)) together.add();
                   })
        .concurrency(4);
    REQUIRE(app.start());
    publish_orders(server, "orders", 4);
    CHECK(together.reaches(4));
    stops_with_nothing_left(app, server, {"orders"});
}

TEST_CASE("concurrency(1) handles one delivery at a time, in the order of publishing") {
    const waybill::memory::server server;
    tally handled;
    std::vector<std::uint64_t> ids;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](const order& o) {
            ids.push_back(o.id);
            handled.add();
        });
    REQUIRE(app.start());
    publish_orders(server, "orders", 2000);
    CHECK(handled.reaches(2000));
    stops_with_nothing_left(app, server, {"orders"});
    CHECK(ids.size() == 2000);
    CHECK(std::ranges::is_sorted(ids));
}

TEST_CASE("a lane that blocks leaves all that waits to the idle ones, also after fast times") {
    const waybill::memory::server server;
    gate released;
    tally blocked;
    tally handled;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order& o) {
                       if (o.id == 0) {
                           blocked.add();
                           released.wait();
                       }
                       handled.add();
                   })
        .concurrency(2);
    const std::string first = R"({"id":1})";
    for (int at = 0; at < 3000; ++at) REQUIRE(server.publish("orders", first));
    REQUIRE(app.start());
    CHECK(handled.reaches(3000));
    publish_orders(server, "orders", 200);
    CHECK(blocked.reaches(1));
    CHECK(handled.reaches(3199));
    CHECK(server.queued("orders") == 0);
    released.open();
    stops_with_nothing_left(app, server, {"orders"});
    CHECK(handled.count() == 3200);
}

// ---- wake-ups ----------------------------------------------------------------------------------

/// Many publishers at once; every message is handled once, or a wake-up was missed.
void everything_is_handled(waybill::app app, std::int64_t concurrency, bool is_inline) {
    constexpr std::uint64_t publishers = 4;
    constexpr std::uint64_t each = 3000;
    const waybill::memory::server server;
    tally handled;
    auto mine = std::move(app);
    auto& wired =
        mine.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); })
            .concurrency(concurrency);
    if (is_inline) wired.inline_handler();
    REQUIRE(mine.start());
    {
        std::vector<std::jthread> threads;
        threads.reserve(publishers);
        for (std::uint64_t at = 0; at < publishers; ++at) {
            threads.emplace_back([&] { publish_orders(server, "orders", each); });
        }
    }
    CHECK(handled.reaches(publishers * each));
    stops_with_nothing_left(mine, server, {"orders"});
    CHECK(handled.count() == publishers * each);
}

TEST_CASE("many publishers never leave a message behind: one lane") {
    everything_is_handled(quiet_app(), 1, false);
}
TEST_CASE("many publishers never leave a message behind: three lanes") {
    everything_is_handled(quiet_app(), 3, false);
}
TEST_CASE("many publishers never leave a message behind: three lanes on two shared workers") {
    auto app = quiet_app();
    app.workers(2);
    everything_is_handled(std::move(app), 3, false);
}
TEST_CASE("many publishers never leave a message behind: an inline handler") {
    everything_is_handled(quiet_app(), 1, true);
}

TEST_CASE("a lane that was idle wakes for each message") {
    for (const std::int64_t concurrency : {1, 3}) {
        CAPTURE(concurrency);
        const waybill::memory::server server;
        tally handled;
        auto app = quiet_app();
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); })
            .concurrency(concurrency);
        REQUIRE(app.start());
        for (std::size_t at = 1; at <= 2000; ++at) {
            REQUIRE(server.publish("orders", R"({"id":1})"));
            REQUIRE(handled.reaches(at));
        }
        stops_with_nothing_left(app, server, {"orders"});
    }
}

TEST_CASE("settlements that other threads use wake their lanes") {
    const waybill::memory::server server;
    tally handled;
    std::mutex mutex;
    std::deque<waybill::settlement> open;
    tally handed_over;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order&, waybill::settlement s) {
                       {
                           const std::lock_guard lock{mutex};
                           open.push_back(std::move(s));
                       }
                       handed_over.add();
                   })
        .concurrency(4);
    REQUIRE(app.start());
    publish_orders(server, "orders", 2000);
    {
        std::vector<std::jthread> settlers;
        settlers.reserve(2);
        for (std::size_t settler = 0; settler < 2; ++settler) {
            settlers.emplace_back([&, settler] {
                for (std::size_t at = settler; at < 2000; at += 2) {
                    REQUIRE(handed_over.reaches(at + 1));
                    const std::lock_guard lock{mutex};
                    std::move(open.front()).ack();
                    open.pop_front();
                    handled.add();
                }
            });
        }
    }
    CHECK(handled.count() == 2000);
    stops_with_nothing_left(app, server, {"orders"});
}

// ---- careful mode ------------------------------------------------------------------------------

/// A service with many lanes that settles when the test says so.
struct careful_shop {
    std::deque<waybill::settlement> open;

    waybill::app make(const waybill::memory::server& server) {
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"),
                       [this](waybill::settlement s) { open.push_back(std::move(s)); })
            .concurrency(4);
        return app;
    }
    void ack_oldest(waybill::test_app& tb) {
        auto oldest = std::move(open.front());
        open.pop_front();
        std::move(oldest).ack();
        tb.rest();
    }
};

TEST_CASE("after a crash one delivery is in hand at a time until the first that is new") {
    const waybill::memory::server server{{.outlives_crash = true}};
    careful_shop before;
    {
        waybill::test_app tb{before.make(server)};
        for (int at = 0; at < 6; ++at) tb.publish_raw("orders", "x");
        REQUIRE(server.unsettled() == 4);
        server.crash();
    }
    CHECK(server.queued("orders") == 6);
    careful_shop after;
    waybill::test_app tb{after.make(server)};
    for (int redelivered = 0; redelivered < 4; ++redelivered) {
        CHECK(server.unsettled() == 1);
        CHECK(tb.calls("orders")[static_cast<std::size_t>(redelivered)].attempt == 2);
        after.ack_oldest(tb);
    }
    CHECK(server.unsettled() == 2);
    CHECK(tb.calls("orders")[4].attempt == 1);
    for (int at = 0; at < 6; ++at) tb.publish_raw("orders", "x");
    CHECK(server.unsettled() == 4);
}

TEST_CASE("after a reconnect one delivery is in hand at a time until the first that is new") {
    const waybill::memory::server server{{.outlives_crash = true}};
    careful_shop shop;
    waybill::test_app tb{shop.make(server)};
    for (int at = 0; at < 6; ++at) tb.publish_raw("orders", "x");
    REQUIRE(server.unsettled() == 4);
    server.drop_connections();
    CHECK(server.queued("orders") == 6);
    for (int stale = 0; stale < 4; ++stale) {
        shop.ack_oldest(tb);
        CHECK(server.unsettled() <= 1);
    }
    for (std::size_t redelivered = 4; redelivered < 8; ++redelivered) {
        CHECK(server.unsettled() == 1);
        CHECK(tb.calls("orders")[redelivered].attempt == 2);
        shop.ack_oldest(tb);
    }
    CHECK(tb.calls("orders")[8].attempt == 1);
    CHECK(server.unsettled() == 2);
    for (int at = 0; at < 6; ++at) tb.publish_raw("orders", "x");
    CHECK(server.unsettled() == 4);
}

TEST_CASE("a lane that is busy with a stale delivery leaves the new connection to the others") {
    const waybill::memory::server server{{.outlives_crash = true}};
    careful_shop shop;
    waybill::test_app tb{shop.make(server)};
    for (int at = 0; at < 4; ++at) tb.publish_raw("orders", "x");
    REQUIRE(server.unsettled() == 4);
    server.drop_connections();
    std::move(shop.open.back()).ack();
    shop.open.pop_back();
    tb.rest();
    CHECK(server.unsettled() == 1);
    CHECK(tb.calls("orders")[4].attempt == 2);
    for (int redelivered = 0; redelivered < 4; ++redelivered) {
        std::move(shop.open.back()).ack();
        shop.open.pop_back();
        tb.rest();
    }
    CHECK(server.unsettled() + server.queued("orders") == 0);
}

TEST_CASE("what was repeated for a connection that fell holds up neither lane nor health") {
    const waybill::memory::server server{{.outlives_crash = true}};
    std::size_t good = 0;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order& o) {
                       if (o.id == 0) return waybill::retry();
                       ++good;
                       return waybill::ack();
                   })
        .max_attempts(1)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    server.fail_publishes("dead", 1000, waybill::memory::publish_fault::refused);
    for (int at = 0; at < 300; ++at) tb.publish("orders", order{0});
    REQUIRE(server.unsettled() == 256);
    server.fail_publishes("dead", 0);
    server.drop_connections();
    tb.rest();
    tb.publish("orders", order{1});
    CHECK(server.unsettled() + server.queued("orders") == 0);
    CHECK(server.queued("dead") == 300);
    CHECK(good == 1);
    CHECK(tb.health().state == waybill::health_state::running);
    tb.advance(std::chrono::minutes{2});
    CHECK(server.queued("dead") == 300);
}

TEST_CASE("no lane sleeps on a message that comes with a reconnect") {
    const waybill::memory::server server;
    std::mutex mutex;
    std::set<std::uint64_t> seen;
    tally handled;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order& o) {
                       const std::lock_guard lock{mutex};
                       if (seen.insert(o.id).second) handled.add();
                   })
        .concurrency(3);
    REQUIRE(app.start());
    for (std::size_t sent = 0; sent < 1000; sent += 20) {
        server.drop_connections();
        for (std::size_t id = sent; id < sent + 20; ++id) {
            REQUIRE(server.publish("orders", R"({"id":)" + std::to_string(id) + "}"));
        }
        REQUIRE(handled.reaches(sent + 20));
    }
    CHECK(app.stop());
    CHECK(server.unsettled() == 0);
}

TEST_CASE("a message that kills the process reaches its cap alone") {
    const waybill::memory::server server{{.outlives_crash = true}};
    std::mutex mutex;
    std::set<std::uint64_t> acked;
    std::uint32_t most_attempts = 0;
    std::size_t dead = 0;
    const auto all_is_done = [&] { return acked.size() == 199 && dead == 1; };
    publish_orders(server, "orders", 200);
    std::size_t starts = 0;
    for (bool done = false; !done;) {
        REQUIRE(++starts <= 20);
        gate released;
        tally ended;
        tally gone;
        auto app = std::make_unique<waybill::app>(quiet_app());
        app->stop_limit(std::chrono::seconds{0});
        app->on_startup([&] { return std::make_unique<goes_last>(gone); });
        auto& broker = app->broker(waybill::memory::broker{server});
        broker
            .subscribe(waybill::memory::queue("orders"),
                       [&](const order& o, waybill::attempt number) {
                           if (o.id == 77) {
                               server.crash();
                               ended.add();
                               return released.wait();
                           }
                           const std::lock_guard lock{mutex};
                           acked.insert(o.id);
                           most_attempts = std::max(most_attempts, number.number);
                           if (all_is_done()) ended.add();
                       })
            .max_attempts(5)
            .dead_letter("dead");
        broker.subscribe(waybill::memory::queue("dead"), [&](const order& o) {
            const std::lock_guard lock{mutex};
            CHECK(o.id == 77);
            ++dead;
            if (all_is_done()) ended.add();
        });
        REQUIRE(app->start());
        REQUIRE(ended.reaches(1));
        app->stop();
        app = nullptr;
        released.open();
        REQUIRE(gone.reaches(1));
        const std::lock_guard lock{mutex};
        done = all_is_done();
    }
    CHECK(starts == 6);
    CHECK(most_attempts <= 2);
    CHECK(dead == 1);
}

}  // namespace lanes
