// How an app is, from before its start to after its stop; and states that cannot be made.
#include "support/tally.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace healths {

using state = waybill::health_state;
using waybill::test::tally;

struct order {
    std::uint64_t id;
};
struct provider {};

waybill::app quiet_app() {
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    return app;
}

TEST_CASE("an app is starting, then running, then stopped") {
    auto app = quiet_app();
    CHECK(app.health().state == state::starting);
    state during = state::running;
    app.on_startup([&] {
        during = app.health().state;
        return provider{};
    });
    REQUIRE(app.start());
    CHECK(during == state::starting);
    CHECK(app.health().state == state::running);
    CHECK(app.health().reason.empty());
    CHECK(app.stop());
    CHECK(app.health().state == state::stopped);
}

TEST_CASE("an app is stopping while its handlers finish") {
    const waybill::memory::server server;
    tally inside;
    tally stopping;
    state during = state::running;
    waybill::app app{"shop", "1"};
    app.log_to([&](std::string_view line) {
        if (line.find("state=stopping") != line.npos) stopping.add();
    });
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](std::span<const std::byte>) {
            inside.add();
            CHECK(stopping.reaches(1));
            during = app.health().state;
        });
    REQUIRE(app.start());
    REQUIRE(server.publish("orders", "x"));
    REQUIRE(inside.reaches(1));
    CHECK(app.stop());
    CHECK(during == state::stopping);
}

TEST_CASE("health may be asked for on another thread from before the start to after the stop") {
    auto app = quiet_app();
    tally asked;
    std::atomic<bool> goes_on{true};
    std::thread probe{[&] {
        while (goes_on) {
            if (app.health().state != state::failed) asked.add();
        }
    }};
    CHECK(asked.reaches(1));
    REQUIRE(app.start());
    CHECK(asked.reaches(asked.count() + 1));
    CHECK(app.stop());
    CHECK(asked.reaches(asked.count() + 1));
    goes_on = false;
    probe.join();
}

// ---- degraded ----------------------------------------------------------------------------------

waybill::app failing_app(const waybill::memory::server& server) {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [](const order&) { return waybill::retry(); })
        .max_attempts(1)
        .dead_letter("dead");
    return app;
}

TEST_CASE("an app is degraded, with the reason, while a publish keeps failing, then running") {
    const waybill::memory::server server;
    waybill::test_app tb{failing_app(server)};
    server.fail_publishes("dead", 3);
    tb.publish("orders", order{1});
    CHECK(tb.health().state == state::degraded);
    CHECK(tb.health().reason.find("orders: a message for dead") != std::string::npos);
    CHECK(server.unsettled() == 1);
    tb.advance(100ms);
    CHECK(tb.health().state == state::degraded);
    tb.advance(10s);
    CHECK(tb.health().state == state::running);
    CHECK(tb.health().reason.empty());
    CHECK(tb.calls("orders") == 1);
    CHECK(tb.published("dead") == 1);
    CHECK(server.unsettled() == 0);
}

TEST_CASE("an app says that a lane has too much in hand to take more, and when it goes on") {
    const waybill::memory::server server;
    server.limit("dead", {.messages = 1});
    waybill::test_app tb{failing_app(server)};
    for (std::uint64_t id = 0; id < 257; ++id) tb.publish("orders", order{id});
    CHECK(server.queued("orders") == 0);
    CHECK(server.unsettled() == 256);
    CHECK(tb.health().state == state::degraded);
    CHECK(tb.health().reason.find("orders (lanes): 256 deliveries") != std::string::npos);
    tb.publish("orders", order{257});
    CHECK(server.queued("orders") == 1);

    server.limit("dead", {});
    tb.rest();
    CHECK(server.queued("orders") + server.unsettled() == 0);
    CHECK(server.queued("dead") == 258);
    CHECK(tb.health().state == state::running);
}

TEST_CASE("what a lane was held up by is over when the connection falls") {
    const waybill::memory::server server{{.outlives_crash = true}};
    server.limit("dead", {.messages = 1});
    waybill::test_app tb{failing_app(server)};
    for (std::uint64_t id = 0; id < 257; ++id) tb.publish("orders", order{id});
    REQUIRE(tb.health().reason.find("orders (lanes)") != std::string::npos);
    server.drop_connections();
    server.limit("dead", {});
    tb.advance(1min);
    // None of them is new, so the window stays as it is.
    CHECK(server.queued("orders") + server.unsettled() == 0);
    CHECK(tb.health().reason.empty());
}

TEST_CASE("a lane that is held up again and again is logged at most every ten seconds") {
    const waybill::memory::server server;
    auto app = failing_app(server);
    int lines = 0;
    app.log_to([&](std::string_view line) {
        if (line.find("lane_held_up") != std::string_view::npos) ++lines;
    });
    app.log_level(waybill::log_level::warning);
    waybill::test_app tb{std::move(app)};
    const auto hold_up = [&] {
        server.limit("dead", {.messages = 1});
        for (std::uint64_t id = 0; id < 258; ++id) tb.publish("orders", order{id});
        CHECK(tb.health().reason.find("orders (lanes)") != std::string::npos);
        server.limit("dead", {});
        tb.rest();
        CHECK(tb.health().state == state::running);
    };
    for (int turn = 0; turn < 3; ++turn) hold_up();
    CHECK(lines == 1);
    tb.advance(9999ms);
    hold_up();
    CHECK(lines == 1);
    tb.advance(1ms);
    hold_up();
    CHECK(lines == 2);
}

TEST_CASE("an app whose failing publish ends with its connection is running again") {
    const waybill::memory::server server;
    waybill::test_app tb{failing_app(server)};
    server.fail_publishes("dead", 1'000);
    tb.publish("orders", order{1});
    CHECK(tb.health().state == state::degraded);
    server.drop_connections();
    server.fail_publishes("dead", 0);
    tb.advance(10s);
    CHECK(tb.health().state == state::running);
    CHECK(tb.published("dead") == 1);
}

// ---- states that cannot be made ----------------------------------------------------------------

/// The app does not start, for this reason, and health says the same.
template <class Maker>
void does_not_start(Maker maker, std::string_view reason) {
    const waybill::memory::server server;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [](waybill::state<provider>) {});
    app.on_startup(std::move(maker));
    const auto started = app.start();
    REQUIRE_FALSE(started);
    REQUIRE(started.error().size() == 1);
    CHECK(started.error()[0].code == waybill::errc::failed);
    CHECK(started.error()[0].where.find("on_startup of ") == 0);
    CHECK(started.error()[0].where.find("provider") != std::string::npos);
    CHECK(started.error()[0].what == reason);
    CHECK(app.health().state == state::failed);
    CHECK(app.health().reason.find(reason) != std::string::npos);
    CHECK(app.stop());
    CHECK(app.health().state == state::failed);
}

TEST_CASE("an app whose state throws has failed, with its reason") {
    does_not_start([]() -> provider { throw std::runtime_error{"no route to the provider"}; },
                   "no route to the provider");
}
TEST_CASE("an app whose state throws something else has failed") {
    does_not_start([]() -> provider { throw 7; },
                   "it threw something that is not a std::exception");
}
TEST_CASE("an app whose state is a null pointer has failed") {
    does_not_start([] { return std::unique_ptr<provider>{}; }, "it returned a null pointer");
    does_not_start([] { return std::shared_ptr<provider>{}; }, "it returned a null pointer");
}

TEST_CASE("run of an app that does not start ends with 1") {
    auto app = quiet_app();
    app.on_startup([]() -> provider { throw 7; });
    CHECK(app.run() == 1);
}

TEST_CASE("an app that did not start takes no message from those that did") {
    const waybill::memory::server server;
    std::vector<waybill::app> failed;
    for (int at = 0; at < 3; ++at) {
        auto& app = failed.emplace_back(quiet_app());
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"), [](std::span<const std::byte>) {});
        app.on_startup([]() -> provider { throw 7; });
        CHECK_FALSE(app.start());
    }
    tally handled;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](std::span<const std::byte>) { handled.add(); });
    REQUIRE(app.start());
    for (int at = 0; at < 10; ++at) REQUIRE(server.publish("orders", "x"));
    CHECK(handled.reaches(10));
    CHECK(app.stop());
}

}  // namespace healths
