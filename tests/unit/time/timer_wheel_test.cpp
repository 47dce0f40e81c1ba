#include "time/timer_wheel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using waybill::timer_wheel;

namespace {

using ids = std::vector<std::uintptr_t>;

void* item(std::uintptr_t id) { return reinterpret_cast<void*>(id); }

ids expire(timer_wheel& wheel, nanoseconds now, std::size_t limit = timer_wheel::npos) {
    ids fired;
    wheel.expire(
        now, [&](void* p) { fired.push_back(reinterpret_cast<std::uintptr_t>(p)); }, limit);
    return fired;
}

/// The numbers from `first` to `last`.
ids range(std::uintptr_t first, std::uintptr_t last) {
    ids all;
    for (; first <= last; ++first) all.push_back(first);
    return all;
}

}  // namespace

TEST_CASE("timer wheel: an empty one has nothing due") {
    timer_wheel wheel;
    CHECK(wheel.next_due() == std::nullopt);
    CHECK(wheel.size() == 0);
    CHECK(expire(wheel, nanoseconds::max()).empty());
    CHECK(wheel.bytes() < 64 * 1024);
}

TEST_CASE("timer wheel: fires at its time and not a nanosecond early") {
    const auto year = nanoseconds{std::chrono::years{1}};
    for (const nanoseconds start : {0ns, 1ns, nanoseconds{123'456'789'123}, 50 * year}) {
        for (const nanoseconds delay :
             {1ns, 63ns, 64ns, 999ns, 1ms - 1ns, nanoseconds{1s}, nanoseconds{1h}, 100 * year}) {
            CAPTURE(start.count());
            CAPTURE(delay.count());
            timer_wheel wheel;
            wheel.arm(start, delay, item(1));
            CHECK(wheel.next_due() == start + delay);
            CHECK(expire(wheel, start + delay - 1ns).empty());
            CHECK(wheel.size() == 1);
            CHECK(expire(wheel, start + delay) == ids{1});
            CHECK(wheel.size() == 0);
        }
    }
}

TEST_CASE("timer wheel: waits above 2^32 milliseconds are as long as any (B75)") {
    for (const nanoseconds delay : {nanoseconds{50 * 24h}, nanoseconds{4'294'967'296ms}}) {
        timer_wheel wheel;
        wheel.arm(0ns, delay, item(1));
        for (nanoseconds now{0}; now < delay; now += 6h) REQUIRE(expire(wheel, now).empty());
        CHECK(expire(wheel, delay - 1ns).empty());
        CHECK(expire(wheel, delay) == ids{1});
    }
}

TEST_CASE("timer wheel: each timer keeps its own time next to others (B77)") {
    timer_wheel wheel;
    for (std::uintptr_t k = 1; k <= 10; ++k) {
        CHECK(expire(wheel, k * 1s).empty());
        wheel.arm(k * 1s, 200s, item(k));
    }
    for (std::uintptr_t k = 1; k <= 10; ++k) {
        CHECK(expire(wheel, k * 1s + 200s - 1ns).empty());
        CHECK(expire(wheel, k * 1s + 200s) == ids{k});
    }
}

TEST_CASE("timer wheel: one jump fires timers that are armed again inside it (B186)") {
    timer_wheel wheel;
    wheel.arm(0ns, 5s, item(1));
    std::vector<nanoseconds> calls;
    while (wheel.next_due() && *wheel.next_due() <= 60s) {
        const nanoseconds now = *wheel.next_due();
        CHECK(expire(wheel, now).size() == 1);
        calls.push_back(now);
        if (calls.size() < 4) wheel.arm(now, 5s, item(1));
    }
    CHECK(calls == std::vector<nanoseconds>{5s, 10s, 15s, 20s});
    CHECK(wheel.size() == 0);
}

TEST_CASE("timer wheel: fires by due time, ties first in, first out (B187)") {
    timer_wheel wheel;
    wheel.arm(0ns, 10s, item(1));
    wheel.arm(0ns, 1s, item(2));
    wheel.arm(0ns, 1s, item(3));
    CHECK(wheel.next_due() == 1s);
    CHECK(expire(wheel, 10s) == ids{2, 3, 1});
}

TEST_CASE("timer wheel: ties keep the order of arming between lanes, buckets and late timers") {
    timer_wheel wheel;
    for (int n = 0; n < 8; ++n) {
        wheel.arm(0ns, 10s, item(99));
        wheel.arm(0ns, 20s, item(99));
    }
    expire(wheel, 20s);
    std::uintptr_t id = 0;
    const nanoseconds due{1'000s};
    for (int n = 0; n < 500; ++n) {
        wheel.arm(due - 10s, 10s, item(++id));
        wheel.arm_at(due, item(++id));
        wheel.arm(due - 20s, 20s, item(++id));
        wheel.arm(due - (1s + n * 1ns), 1s + n * 1ns, item(++id));
    }
    CHECK(expire(wheel, due - 1ns).empty());
    CHECK(expire(wheel, due, 700) == range(1, 700));
    for (int n = 0; n < 500; ++n) wheel.arm_at(due, item(++id));
    CHECK(expire(wheel, due) == range(701, id));
}

TEST_CASE("timer wheel: a delay of nothing, or a time that has passed, is due at once") {
    timer_wheel wheel;
    wheel.arm(100s, 0ns, item(1));
    wheel.arm(100s, -5s, item(2));
    wheel.arm_at(3s, item(3));
    wheel.arm_at(nanoseconds::min(), item(4));
    CHECK(wheel.next_due() == nanoseconds::min());
    CHECK(expire(wheel, 100s) == ids{4, 3, 2, 1});
}

TEST_CASE("timer wheel: a wait beyond the range lasts to its end") {
    timer_wheel wheel;
    wheel.arm(1h, nanoseconds::max(), item(1));
    wheel.arm(2h, nanoseconds::max() - 1ns, item(2));
    CHECK(wheel.next_due() == nanoseconds::max());
    CHECK(expire(wheel, nanoseconds::max() - 1ns).empty());
    CHECK(expire(wheel, nanoseconds::max()) == ids{1, 2});
}

TEST_CASE("timer wheel: a time of arming that falls changes no order") {
    timer_wheel wheel;
    for (std::uintptr_t n = 0; n < 10; ++n) wheel.arm(100s, 5s, item(n + 1));
    wheel.arm(50s, 5s, item(11));
    wheel.arm(100s, 5s, item(12));
    CHECK(wheel.next_due() == 55s);
    CHECK(expire(wheel, 55s) == ids{11});
    ids rest = range(1, 10);
    rest.push_back(12);
    CHECK(expire(wheel, 105s) == rest);
}

TEST_CASE("timer wheel: a limit stops between timers and the rest follows") {
    timer_wheel wheel;
    for (std::uintptr_t n = 1; n <= 100; ++n) wheel.arm(0ns, n * 1ms, item(n));
    CHECK(expire(wheel, 1s, 0).empty());
    CHECK(expire(wheel, 1s, 1) == ids{1});
    CHECK(expire(wheel, 1s, 49) == range(2, 50));
    CHECK(wheel.next_due() == 51ms);
    CHECK(expire(wheel, 1s) == range(51, 100));
}

TEST_CASE("timer wheel: when firing throws, only that timer is gone") {
    timer_wheel wheel;
    for (std::uintptr_t n = 1; n <= 40; ++n) wheel.arm(0ns, n % 2 == 0 ? 7ms : 9ms, item(n));
    int calls = 0;
    const auto third_throws = [&](void*) {
        if (++calls == 3) throw std::runtime_error("no");
    };
    CHECK_THROWS_AS(wheel.expire(1s, third_throws), std::runtime_error);
    CHECK(wheel.size() == 37);
    const ids rest = expire(wheel, 1s);
    CHECK(rest.size() == 37);
    CHECK(rest.front() == 8);
    CHECK(rest.back() == 39);
}

TEST_CASE("timer wheel: draining hands out everything with its due time, in order") {
    timer_wheel wheel;
    wheel.arm(0ns, nanoseconds::max(), item(3));
    wheel.arm(0ns, 5s, item(1));
    wheel.arm(0ns, 24h * 365, item(2));
    ids drained;
    std::vector<nanoseconds> dues;
    CHECK(wheel.drain([&](void* p, nanoseconds due) {
        drained.push_back(reinterpret_cast<std::uintptr_t>(p));
        dues.push_back(due);
    }) == 3);
    CHECK(drained == ids{1, 2, 3});
    CHECK(dues == std::vector<nanoseconds>{5s, 24h * 365, nanoseconds::max()});
    CHECK(wheel.next_due() == std::nullopt);
    wheel.arm(1s, 1s, item(4));
    CHECK(expire(wheel, 2s) == ids{4});
}

TEST_CASE("timer wheel: more constant delays than lanes, and then others, all in order") {
    timer_wheel wheel;
    std::vector<std::pair<nanoseconds, std::uintptr_t>> wanted;
    std::uintptr_t id = 0;
    nanoseconds now{0};
    for (int generation = 0; generation < 3; ++generation) {
        for (int round = 0; round < 50; ++round) {
            for (int n = 1; n <= 150; ++n) {
                const nanoseconds delay = (generation * 150 + n) * 10ms;
                wheel.arm(now, delay, item(++id));
                wanted.emplace_back(now + delay, id);
            }
            now += 10ms;
        }
        std::sort(wanted.begin(), wanted.end());
        now += 10s;
        ids due;
        for (const auto& [when, which] : wanted) due.push_back(which);
        REQUIRE(expire(wheel, now) == due);
        wanted.clear();
    }
}

TEST_CASE("timer wheel: short waits armed under a long one stay in order") {
    timer_wheel wheel;
    std::mt19937_64 random{3};
    std::vector<std::pair<nanoseconds, std::uintptr_t>> wanted;
    wheel.arm(0ns, 60s, item(1));
    wheel.arm(0ns, 65s, item(2));
    CHECK(expire(wheel, 60s) == ids{1});
    wanted.emplace_back(65s, 2);
    for (std::uintptr_t id = 3; id < 20'000; ++id) {
        const nanoseconds delay{static_cast<std::int64_t>(random() % 5'000'000'000)};
        wheel.arm(60s, delay, item(id));
        wanted.emplace_back(60s + delay, id);
    }
    std::sort(wanted.begin(), wanted.end());
    ids all;
    for (const auto& [when, which] : wanted) all.push_back(which);
    CHECK(expire(wheel, 65s) == all);
}

TEST_CASE("timer wheel: a million timers fire in one jump, and their memory is given back") {
    constexpr std::size_t count = 1'000'000;
    timer_wheel wheel;
    std::mt19937_64 random{5};
    for (std::uintptr_t id = 1; id <= count; ++id) {
        const auto far = static_cast<std::int64_t>(random() % 3'600'000'000'000);
        wheel.arm(1us * id, id % 3 == 0 ? nanoseconds{30s} : nanoseconds{far}, item(id));
    }
    CHECK(wheel.size() == count);
    CHECK(wheel.bytes() < 27 * count);
    nanoseconds last{0};
    std::size_t early = 0;
    const auto fire = [&](void*, nanoseconds due) {
        early += due < last;
        last = due;
    };
    CHECK(wheel.expire(2h, fire) == count);
    CHECK(early == 0);
    CHECK(wheel.next_due() == std::nullopt);
    CHECK(wheel.bytes() < 400 * 1024);
}

TEST_CASE("timer wheel: a million timers due in the same nanosecond keep their order") {
    constexpr std::uintptr_t count = 1'000'000;
    timer_wheel wheel;
    wheel.arm(0ns, 1s, item(0));
    for (std::uintptr_t id = 1; id <= count; ++id) wheel.arm_at(24h, item(id));
    CHECK(expire(wheel, 24h - 1ns) == ids{0});
    CHECK(expire(wheel, 24h) == range(1, count));
    CHECK(wheel.bytes() < 400 * 1024);
}

TEST_CASE("timer wheel: forgetting waiting timers leaks nothing") {
    timer_wheel wheel;
    for (std::uintptr_t n = 0; n < 1000; ++n) wheel.arm(0ns, (n % 2 == 0 ? 5 : n) * 1s, item(n));
    CHECK(wheel.size() == 1000);
}
