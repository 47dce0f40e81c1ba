// The end of an app: nothing is lost, whatever is under way, and late comers are told.
#include "support/tally.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace stops {

using waybill::test::gate;
using waybill::test::goes_last;
using waybill::test::tally;

struct order {
    std::uint64_t id;
};
struct paid {
    static constexpr std::string_view address = "paid";
    std::uint64_t id;
};

constexpr std::string_view body = R"({"id":1})";

waybill::app quiet_app() {
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    return app;
}

TEST_CASE("a stop lets the handlers finish and leaves what waits in the server") {
    const waybill::memory::server server;
    tally handled;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); })
        .concurrency(2);
    REQUIRE(app.start());
    for (int at = 0; at < 5000; ++at) REQUIRE(server.publish("orders", body));
    REQUIRE(handled.reaches(1));
    CHECK(app.stop());
    CHECK(server.unsettled() == 0);
    CHECK(handled.count() + server.queued("orders") == 5000);
    CHECK(app.health().state == waybill::health_state::stopped);
    CHECK(app.health().reason.empty());
}

TEST_CASE(
    "a stop leaves waiting retries in the server, and a restart finds them with their counts") {
    const waybill::memory::server server;
    const auto make = [&] {
        auto app = quiet_app();
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [](const order&, waybill::attempt n) {
                return n < 3 ? waybill::retry_after(30s) : waybill::ack();
            });
        return app;
    };
    std::shared_ptr<waybill::manual_clock> time;
    {
        waybill::test_app tb{make()};
        time = tb.time();
        tb.publish("orders", order{1});
        tb.advance(30s);
        CHECK(tb.calls("orders") == 2);
        CHECK(tb.stop());
        CHECK(server.waiting() == 1);
    }
    waybill::test_app tb{make(), waybill::with_clock(time)};
    tb.advance(30s);
    REQUIRE(tb.calls("orders") == 1);
    CHECK(tb.calls("orders")[0].attempt == 3);
}

TEST_CASE("a stop publishes the copies that wait in the process, and a restart waits on") {
    const waybill::memory::server server{
        {.counts = waybill::memory::counting::none, .delays = false}};
    const auto make = [&] {
        auto app = quiet_app();
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [](const order&, waybill::attempt n) {
                return n == 1 ? waybill::retry_after(30s) : waybill::ack();
            });
        return app;
    };
    std::shared_ptr<waybill::manual_clock> time;
    {
        waybill::test_app tb{make()};
        time = tb.time();
        tb.publish("orders", order{1});
        tb.advance(10s);
        CHECK(server.queued("orders") == 0);
        CHECK(tb.stop());
        tb.rest();
        CHECK(server.queued("orders") == 1);
    }
    waybill::test_app tb{make(), waybill::with_clock(time)};
    tb.advance(19s);
    CHECK(tb.calls("orders").empty());
    tb.advance(1s);
    REQUIRE(tb.calls("orders") == 1);
    CHECK(tb.calls("orders")[0].attempt == 2);
}

TEST_CASE("a stop does not wait for a publish that keeps failing; the original is given back") {
    const waybill::memory::server server;
    tally handled;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order&) {
                       handled.add();
                       return waybill::retry();
                   })
        .max_attempts(1)
        .dead_letter("dead");
    app.stop_limit(24h);
    server.fail_publishes("dead", 1'000'000);
    REQUIRE(app.start());
    REQUIRE(server.publish("orders", body));
    REQUIRE(handled.reaches(1));
    CHECK(app.stop());
    CHECK(server.unsettled() == 0);
    CHECK(server.queued("orders") == 1);
    CHECK(server.queued("dead") == 0);
}

// ---- the limit ---------------------------------------------------------------------------------

TEST_CASE("a handler that outlasts the limit loses its delivery, which is back in the server") {
    const waybill::memory::server server;
    tally gone;
    tally inside;
    gate released;
    {
        auto app = quiet_app();
        app.on_startup([&] { return std::make_unique<goes_last>(gone); });
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"),
                       [&](const order& o, waybill::state<goes_last>) -> waybill::reply<paid> {
                           inside.add();
                           released.wait();
                           return paid{o.id};
                       });
        app.stop_limit(0s);
        REQUIRE(app.start());
        for (int at = 0; at < 3; ++at) REQUIRE(server.publish("orders", body));
        REQUIRE(inside.reaches(1));
        CHECK_FALSE(app.stop());
        CHECK(app.health().state == waybill::health_state::stopped);
        CHECK(app.health().reason.find("still running") != std::string::npos);
        CHECK(server.unsettled() == 0);
        CHECK(server.queued("orders") == 3);
        CHECK_FALSE(app.stop());
    }
    released.open();
    CHECK(gone.reaches(1));
    CHECK(server.queued("orders") == 3);
    CHECK(server.queued("paid") == 0);
}

TEST_CASE("a retry that is asked for after the limit publishes no copy") {
    const waybill::memory::server server{
        {.counts = waybill::memory::counting::none, .delays = false}};
    tally gone;
    tally inside;
    gate released;
    {
        auto app = quiet_app();
        app.workers(1).stop_limit(0s);
        app.on_startup([&] { return std::make_unique<goes_last>(gone); });
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"),
                       [&](const order&, waybill::state<goes_last>) {
                           inside.add();
                           released.wait();
                           return waybill::retry_after(1s);
                       });
        REQUIRE(app.start());
        REQUIRE(server.publish("orders", body));
        REQUIRE(inside.reaches(1));
        CHECK_FALSE(app.stop());
    }
    released.open();
    CHECK(gone.reaches(1));
    CHECK(server.queued("orders") == 1);
}

TEST_CASE("a settlement that is used in time lets the stop end well") {
    const waybill::memory::server server;
    tally inside;
    tally stopping;
    std::mutex mutex;
    std::optional<waybill::settlement> open;
    waybill::app app{"shop", "1"};
    app.log_to([&](std::string_view line) {
        if (line.find("state=stopping") != line.npos) stopping.add();
    });
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](const order&, waybill::settlement s) {
            const std::lock_guard lock{mutex};
            open.emplace(std::move(s));
            inside.add();
        });
    REQUIRE(app.start());
    REQUIRE(server.publish("orders", body));
    REQUIRE(inside.reaches(1));
    const std::jthread settles{[&] {
        CHECK(stopping.reaches(1));
        const std::lock_guard lock{mutex};
        std::move(*open).ack();
    }};
    CHECK(app.stop());
    CHECK(server.queued("orders") == 0);
    CHECK(server.unsettled() == 0);
}

TEST_CASE("a settlement that is never used costs the limit, and its delivery is back") {
    const waybill::memory::server server;
    tally inside;
    std::optional<waybill::settlement> open;
    auto app = quiet_app();
    app.stop_limit(0s);
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](const order&, waybill::settlement s) {
            open.emplace(std::move(s));
            inside.add();
        });
    REQUIRE(app.start());
    REQUIRE(server.publish("orders", body));
    REQUIRE(inside.reaches(1));
    CHECK_FALSE(app.stop());
    CHECK(server.queued("orders") == 1);
    std::move(*open).ack();
    CHECK(server.queued("orders") == 1);
}

// ---- before and after --------------------------------------------------------------------------

TEST_CASE("a publisher works from the start to the stop, and says so elsewhere") {
    const waybill::memory::server server;
    auto app = quiet_app();
    const auto publisher = app.broker(waybill::memory::broker{server}).publisher();
    const auto early = publisher.publish("orders", order{1});
    REQUIRE_FALSE(early);
    CHECK(early.error().code == waybill::errc::stopped);
    CHECK_FALSE(early.error().fix.empty());
    REQUIRE(app.start());
    CHECK(publisher.publish("orders", order{2}));
    CHECK(app.stop());
    const auto late = publisher.publish("orders", order{3});
    REQUIRE_FALSE(late);
    CHECK(late.error().code == waybill::errc::stopped);
    CHECK(server.queued("orders") == 1);
}

TEST_CASE("a publisher that outlives its app says that the app is not running") {
    std::optional<waybill::publisher> publisher;
    {
        auto app = quiet_app();
        publisher = app.broker(waybill::memory::broker{}).publisher();
        REQUIRE(app.start());
    }
    const auto late = publisher->publish("orders", order{1});
    REQUIRE_FALSE(late);
    CHECK(late.error().code == waybill::errc::stopped);
}

TEST_CASE("a second stop does nothing, and a stop before the start neither") {
    auto app = quiet_app();
    CHECK(app.stop());
    CHECK(app.health().state == waybill::health_state::starting);
    REQUIRE(app.start());
    CHECK(app.stop());
    CHECK(app.stop());
    CHECK(app.health().state == waybill::health_state::stopped);
}

TEST_CASE("an app starts once; the error says what to do") {
    const waybill::memory::server server;
    tally handled;
    auto app = quiet_app();
    auto& broker = app.broker(waybill::memory::broker{server});
    broker.subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); });
    const auto publisher = broker.publisher();
    REQUIRE(app.start());
    const auto refused = [&] {
        const auto again = app.start();
        REQUIRE_FALSE(again);
        REQUIRE(again.error().size() == 1);
        CHECK(again.error()[0].code == waybill::errc::stopped);
        CHECK(again.error()[0].fix.find("make a new app") != std::string::npos);
    };
    refused();
    CHECK(app.health().state == waybill::health_state::running);
    CHECK(publisher.publish("orders", order{1}));
    CHECK(handled.reaches(1));
    CHECK(app.stop());
    refused();
}

TEST_CASE("an app that is destroyed while it runs stops first") {
    const waybill::memory::server server;
    tally handled;
    {
        auto app = quiet_app();
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); });
        REQUIRE(app.start());
        for (int at = 0; at < 1000; ++at) REQUIRE(server.publish("orders", body));
        REQUIRE(handled.reaches(1));
    }
    CHECK(server.unsettled() == 0);
    CHECK(handled.count() + server.queued("orders") == 1000);
}

TEST_CASE("an app may be moved after it was wired, and while it runs") {
    const waybill::memory::server server;
    tally handled;
    auto first = quiet_app();
    auto& broker = first.broker(waybill::memory::broker{server});
    auto& wired =
        broker.subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); });
    auto second = std::move(first);
    wired.name("charge");
    broker.subscribe(waybill::memory::queue("more"), [&](const order&) { handled.add(); });
    REQUIRE(second.start());
    auto third = quiet_app();
    third = std::move(second);
    REQUIRE(broker.publisher().publish("orders", order{1}));
    REQUIRE(broker.publisher().publish("more", order{2}));
    CHECK(handled.reaches(2));
    CHECK(third.describe().find("charge") != std::string::npos);
    CHECK(third.stop());
}

TEST_CASE("publishers on many threads meet a stop: what was confirmed is in the server") {
    const waybill::memory::server server;
    tally handled;
    tally published;
    std::atomic<std::size_t> confirmed{0};
    std::vector<std::jthread> threads;
    {
        auto app = quiet_app();
        auto& broker = app.broker(waybill::memory::broker{server});
        broker.subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); })
            .concurrency(2);
        const auto publisher = broker.publisher();
        REQUIRE(app.start());
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([publisher, &confirmed, &published] {
                while (publisher.publish("orders", order{1})) {
                    ++confirmed;
                    published.add();
                }
            });
        }
        REQUIRE(published.reaches(500));
        CHECK(app.stop());
    }
    threads.clear();
    CHECK(server.unsettled() == 0);
    CHECK(handled.count() + server.queued("orders") == confirmed);
}

TEST_CASE("publishers outside of the app never meet a lane that is gone") {
    const waybill::memory::server server;
    std::atomic<bool> goes_on{true};
    std::atomic<std::size_t> failed{0};
    std::vector<std::jthread> threads;
    threads.reserve(2);
    for (int thread = 0; thread < 2; ++thread) {
        threads.emplace_back([&] {
            while (goes_on) {
                if (server.queued("orders") < 1000 && !server.publish("orders", body)) ++failed;
            }
        });
    }
    for (int round = 0; round < 50; ++round) {
        tally handled;
        auto app = quiet_app();
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [&](const order&) { handled.add(); })
            .concurrency(2);
        REQUIRE(app.start());
        REQUIRE(handled.reaches(1));
        CHECK(app.stop());
    }
    goes_on = false;
    threads.clear();
    CHECK(failed == 0);
}

// ---- requests ----------------------------------------------------------------------------------

TEST_CASE("run ends when a handler asks for it") {
    const waybill::memory::server server;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](const order&) { app.request_stop(); });
    REQUIRE(server.publish("orders", body));
    CHECK(app.run() == 0);
    CHECK(app.health().state == waybill::health_state::stopped);
    CHECK(server.queued("orders") == 0);
}

TEST_CASE("a request to stop that comes before the run is kept") {
    auto app = quiet_app();
    const std::jthread asks{[&] { app.request_stop(); }};
    CHECK(app.run() == 0);
}

// ---- stops that come early ---------------------------------------------------------------------

TEST_CASE("a stop that comes during the start waits for it, and then ends it") {
    const waybill::memory::server server;
    for (int round = 0; round < 50; ++round) {
        auto app = quiet_app();
        auto& broker = app.broker(waybill::memory::broker{server});
        for (int at = 0; at < 4; ++at) {
            broker.subscribe(waybill::memory::queue("orders." + std::to_string(at)),
                             [](const order&) {});
        }
        std::jthread stops{[&] {
            while (app.stop() && app.health().state != waybill::health_state::stopped) {
            }
        }};
        const auto started = app.start();
        stops.join();
        if (!started) CHECK(started.error().front().code == waybill::errc::stopped);
        CHECK(app.health().state == waybill::health_state::stopped);
    }
}

TEST_CASE("an app that is stopped by its on_startup does not start") {
    const waybill::memory::server server;
    auto app = quiet_app();
    app.on_startup([&] {
        CHECK(app.stop());
        return 1;
    });
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [](const order&, waybill::state<int>) {});
    REQUIRE(server.publish("orders", body));
    const auto started = app.start();
    REQUIRE(!started);
    CHECK(started.error().front().code == waybill::errc::stopped);
    CHECK(app.health().state == waybill::health_state::stopped);
    CHECK(server.queued("orders") == 1);
}

// ---- what a settlement outlives ----------------------------------------------------------------

TEST_CASE("what a settlement's delivery views stays readable after the app and its server") {
    for (const std::size_t size : {10, 1'000'000}) {
        CAPTURE(size);
        std::optional<waybill::settlement> kept;
        std::span<const std::byte> seen;
        tally handled;
        {
            auto app = quiet_app();
            app.stop_limit(0s);
            auto& broker = app.broker(waybill::memory::broker{});
            broker.subscribe(waybill::memory::queue("orders"),
                             [&](std::span<const std::byte> payload, waybill::settlement later) {
                                 seen = payload;
                                 kept.emplace(std::move(later));
                                 handled.add();
                             });
            REQUIRE(app.start());
            const std::string text(size, 'x');
            REQUIRE(broker.publisher().publish("orders", std::as_bytes(std::span{text})));
            REQUIRE(handled.reaches(1));
            CHECK_FALSE(app.stop());
        }
        CHECK(std::ranges::count(seen, std::byte{'x'}) == static_cast<std::ptrdiff_t>(size));
        std::move(*kept).ack();
    }
}

}  // namespace stops
