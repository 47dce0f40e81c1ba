#include <waybill/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using steady = std::chrono::steady_clock;

TEST_CASE("manual clock: starts at 0 on 2000-01-01 and stands still") {
    const waybill::manual_clock clock;
    CHECK(clock.now() == 0ns);
    CHECK(clock.wall() == 946'684'800'000ms);
    CHECK_FALSE(clock.real_time_of(1h).has_value());
}

TEST_CASE("manual clock: both times advance together, and never go back") {
    waybill::manual_clock clock;
    clock.advance_to(10s);
    clock.advance_to(5s);
    CHECK(clock.now() == 10s);
    CHECK(clock.wall() == 946'684'810'000ms);
    clock.advance_by(1'500us);
    clock.advance_by(-3s);
    clock.advance_by(nanoseconds::min());
    CHECK(clock.now() == 10s + 1'500us);
    CHECK(clock.wall() == 946'684'810'001ms);
}

TEST_CASE("manual clock: an advance of centuries stops at the end of the range") {
    waybill::manual_clock clock;
    constexpr auto century = std::chrono::nanoseconds{std::chrono::years{100}};
    clock.advance_by(century);
    CHECK(clock.now() == century);
    clock.advance_by(century);
    clock.advance_by(century);
    CHECK(clock.now() == nanoseconds::max());
    CHECK(clock.wall() > 946'684'800'000ms);
}

TEST_CASE("manual clock: threads that advance it lose no step") {
    waybill::manual_clock clock;
    std::vector<std::jthread> threads;
    for (int n = 0; n < 4; ++n) {
        threads.emplace_back([&clock] {
            for (int step = 0; step < 10'000; ++step) clock.advance_by(1ns);
        });
    }
    threads.clear();
    CHECK(clock.now() == 40'000ns);
}

TEST_CASE("real clock: follows the machine") {
    const auto clock = waybill::real_clock();
    CHECK(clock == waybill::real_clock());
    const auto before = steady::now();
    const auto now = clock->now();
    CHECK(clock->real_time_of(now) >= before);
    CHECK(clock->real_time_of(now) <= steady::now());
    CHECK(clock->real_time_of(now + 30s) == *clock->real_time_of(now) + 30s);
    const auto wall = std::chrono::system_clock::now().time_since_epoch() - clock->wall();
    CHECK(wall < 10s);
    CHECK(wall > -10s);
}

TEST_CASE("scaled clock: runs its factor times as fast") {
    const auto before = steady::now();
    const auto clock = waybill::scaled_clock(1000);
    const auto after = steady::now();
    const auto wall = clock->wall();
    std::this_thread::sleep_for(5ms);
    const auto now = clock->now();
    CHECK(now >= 5s);
    CHECK(now <= (steady::now() - before) * 1000);
    CHECK(clock->wall() - wall >= 4'900ms);
    const auto hour = *clock->real_time_of(1h);
    CHECK(hour >= before + 3'600ms);
    CHECK(hour <= after + 3'601ms);
}

TEST_CASE("scaled clock: what is due has been reached at the real time named for it") {
    for (const double factor : {0.001, 0.3, 1.0, 7.0, 1e6}) {
        CAPTURE(factor);
        const auto clock = waybill::scaled_clock(factor);
        nanoseconds last{-1};
        for (int n = 0; n < 200; ++n) {
            const auto now = clock->now();
            CHECK(now >= last);
            last = now;
            const auto due = now + nanoseconds{static_cast<std::int64_t>(n * 50 * factor)};
            const auto real = *clock->real_time_of(due);
            while (steady::now() < real) {
            }
            CHECK(clock->now() >= due);
        }
    }
}

TEST_CASE("scaled clock: the far future is the end of the range") {
    CHECK(waybill::scaled_clock(0.5)->real_time_of(nanoseconds::max()) ==
          steady::time_point::max());
    CHECK(waybill::scaled_clock(1e300)->now() >= 0ns);
    CHECK(waybill::scaled_clock(1e300)->real_time_of(nanoseconds::max()) < steady::now() + 1s);
}

TEST_CASE("scaled clock: refuses a factor that is no speed") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double factor : {0.0, -1.0, infinity, infinity - infinity}) {
        CHECK_THROWS_AS(waybill::scaled_clock(factor), std::invalid_argument);
    }
}
