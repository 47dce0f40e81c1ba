// Faults that users of other frameworks reported: delays, and the clock of the test kit.
#include "shop.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace std::chrono_literals;

namespace time_reports {

using support::always;
using support::attempts;
using support::copies_only;
using support::payloads;
using support::shop;
using support::times;
using waybill::test_app;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

TEST_CASE("B75: a wait above 2^32 milliseconds is waited, not cut") {
    for (const std::chrono::nanoseconds wait :
         {std::chrono::nanoseconds{1200h}, std::chrono::nanoseconds{4294967296ms}}) {
        for (const auto& how : {options{}, copies_only}) {
            test_app tb{shop(
                server{how},
                [wait](std::uint32_t n) {
                    return n == 1 ? waybill::retry_after(wait) : waybill::ack();
                },
                5)};
            tb.publish_raw("orders", "a");
            for (int step = 0; step < 10; ++step) tb.advance(wait / 10 - 1ns);
            CHECK(tb.calls("charge") == 1);
            tb.advance(wait - tb.now() - 1ns);
            CHECK(tb.calls("charge") == 1);
            tb.advance(1ns);
            CHECK(tb.calls("charge") == 2);
        }
    }
}

TEST_CASE("B77: waits that begin near each other each last as long as they were asked to") {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(
            server{how},
            [](std::uint32_t n) { return n == 1 ? waybill::retry_after(200s) : waybill::ack(); },
            5)};
        for (char name = '0'; name <= '9'; ++name) {
            tb.publish_raw("orders", std::string(1, name));
            tb.advance(1s);
        }
        tb.advance(1h);
        CHECK(payloads(tb) == "01234567890123456789");
        for (std::size_t each = 0; each < 10; ++each) {
            CHECK(times(tb)[10 + each] == times(tb)[each] + 200s);
        }
    }
}

TEST_CASE("B80: retry_after is a wait, also where the broker cannot delay") {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(server{how}, always(waybill::retry_after(30s)), 5)};
        tb.publish_raw("orders", "a");
        tb.advance(29'999ms);
        CHECK(tb.calls("charge") == 1);
        tb.advance(1ms);
        CHECK(tb.calls("charge") == 2);
    }
}

TEST_CASE("B98: a long wait does not hold up a shorter one behind it") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{at})
            .subscribe(queue("orders"),
                       [](std::span<const std::byte> payload, waybill::attempt n) {
                           const auto wait = std::to_integer<int>(payload[0]) * 1s;
                           return n == 1 ? waybill::retry_after(wait) : waybill::ack();
                       })
            .name("charge")
            .max_attempts(5)
            .dead_letter("orders.dead");
        test_app tb{std::move(app)};
        for (const char wait : {60, 10, 30}) tb.publish_raw("orders", std::string(1, wait));
        tb.advance(60s);
        const std::vector<std::chrono::nanoseconds> wanted{0s, 0s, 0s, 10s, 30s, 60s};
        CHECK(times(tb) == wanted);
    }
}

TEST_CASE("B186: a timer that is set again inside an advance fires inside it") {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(server{how}, always(waybill::retry_after(5s)), 4)};
        tb.publish_raw("orders", "a");
        tb.advance(60s);
        CHECK(tb.calls("charge") == 4);
        CHECK(times(tb) == std::vector<std::chrono::nanoseconds>{0s, 5s, 10s, 15s});
        CHECK(tb.published("orders.dead") == 1);
    }
}

TEST_CASE("B187: timers fire in the order of their times, ties first in first out") {
    for (const auto& how : {options{}, copies_only}) {
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{server{how}})
            .subscribe(queue("orders"),
                       [](std::span<const std::byte> payload, waybill::attempt n) {
                           const bool first = std::to_integer<char>(payload[0]) == '1';
                           if (n != 1) return waybill::ack();
                           return waybill::retry_after(first ? 10s : 1s);
                       })
            .name("charge")
            .max_attempts(5)
            .dead_letter("orders.dead");
        test_app tb{std::move(app)};
        for (const auto* text : {"1", "2", "3"}) tb.publish_raw("orders", text);
        CHECK(tb.now() == 0s);
        tb.advance(10s);
        CHECK(payloads(tb) == "123231");
    }
}

TEST_CASE("B188: a nested advance is refused, time never goes back and every timer fires once") {
    test_app* inside = nullptr;
    int refused = 0;
    test_app tb{shop(
        server{},
        [&](std::uint32_t n) {
            if (n == 1) return waybill::retry_after(5s);
            const auto before = inside->now();
            try {
                inside->advance(100s);
            } catch (const std::logic_error&) {
                ++refused;
            }
            CHECK(inside->now() == before);
            return waybill::ack();
        },
        5)};
    inside = &tb;
    tb.publish_raw("orders", "a");
    tb.publish_raw("orders", "b");
    tb.advance(10s);
    CHECK(refused == 2);
    CHECK(tb.now() == 10s);
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 1, 2, 2});
}

/// Stands still until it is moved, and its wall clock can be set besides.
class clock_that_is_set final : public waybill::clock {
public:
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept override { return steady.now(); }
    [[nodiscard]] std::chrono::milliseconds wall() const noexcept override {
        return steady.wall() + set_by;
    }
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> real_time_of(
        std::chrono::nanoseconds) const noexcept override {
        return std::nullopt;
    }

    waybill::manual_clock steady;
    std::chrono::milliseconds set_by{0};
};

TEST_CASE("B189: a wall clock that is set back or forward moves no wait") {
    for (const std::chrono::hours step : {-1h, 1h}) {
        for (const auto& how : {options{}, copies_only}) {
            const server at{how};
            const auto time = std::make_shared<clock_that_is_set>();
            std::vector<std::chrono::nanoseconds> ran;
            auto app = shop(
                at,
                [&](std::uint32_t n) {
                    ran.push_back(time->now());
                    return n == 1 ? waybill::retry_after(30s) : waybill::ack();
                },
                5);
            app.time(time);
            app.log_to([](std::string_view) {});
            const auto running = waybill::wiring::runtime::make(
                *app.core(), waybill::wiring::run_mode::by_hand, nullptr);
            REQUIRE(running->start());
            REQUIRE(at.publish("orders", "a"));
            while (running->run_one()) {
            }
            time->set_by = step;
            while (const auto due = running->next_due()) {
                time->steady.advance_to(*due);
                running->tick(time->now(), 1);
                while (running->run_one()) {
                }
            }
            CHECK(ran == std::vector<std::chrono::nanoseconds>{0s, 30s});
            CHECK(running->stop(0s));
        }
    }
}

}  // namespace time_reports
