/// The timer wheel against a std::multimap: seeded random operations, every answer compared.
#include "time/saturating.hpp"
#include "time/timer_wheel.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

using std::chrono::nanoseconds;

namespace {

/// A multimap keeps equal keys in the order of insertion: the very order the wheel promises.
class model {
public:
    void arm(nanoseconds due, void* item) { waiting_.emplace(due, item); }
    std::vector<void*> expire(nanoseconds now, std::size_t limit) {
        std::vector<void*> fired;
        while (!waiting_.empty() && waiting_.begin()->first <= now && fired.size() < limit) {
            fired.push_back(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
        }
        return fired;
    }
    std::optional<nanoseconds> next_due() const {
        if (waiting_.empty()) return std::nullopt;
        return waiting_.begin()->first;
    }
    std::size_t size() const { return waiting_.size(); }

private:
    std::multimap<nanoseconds, void*> waiting_;
};

/// One random history. Delays are constants, clusters, or anything from 0 to centuries.
class history {
public:
    explicit history(std::uint64_t seed) : random_{seed} {
        span_bits_ = 4 + below(56);
        constants_ = 1 + below(100);
        arms_ = 20 + below(60);
    }

    void step() {
        if (below(100) < arms_) {
            for (std::uint64_t n = 1 + (below(50) == 0 ? below(3000) : 0); n > 0; --n) arm();
        } else {
            advance();
        }
        CHECK(wheel_.size() == model_.size());
        REQUIRE(wheel_.next_due() == model_.next_due());
    }

    void finish() {
        std::vector<void*> fired;
        nanoseconds last = nanoseconds::min();
        wheel_.drain([&](void* item, nanoseconds due) {
            CHECK(due >= last);
            last = due;
            fired.push_back(item);
        });
        REQUIRE(fired == model_.expire(nanoseconds::max(), SIZE_MAX));
        CHECK(wheel_.size() == 0);
        CHECK(wheel_.bytes() < 256 * 1024);
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    nanoseconds any_delay() {
        const std::uint64_t bits = 1 + below(span_bits_);
        return nanoseconds{static_cast<std::int64_t>(random_() >> (64 - bits))};
    }

    void arm() {
        void* const item = reinterpret_cast<void*>(++items_);
        const auto kind = below(10);
        if (kind == 0) {
            const nanoseconds due = saturating(now_, below(2) == 0 ? any_delay() : -any_delay());
            wheel_.arm_at(due, item);
            model_.arm(due, item);
            return;
        }
        nanoseconds delay = any_delay();
        if (kind < 5) delay = nanoseconds{static_cast<std::int64_t>(below(constants_) * 64)};
        wheel_.arm(now_, delay, item);
        model_.arm(saturating(now_, delay), item);
    }

    void advance() {
        if (below(4) == 0 && model_.next_due()) {
            const nanoseconds just_before = *model_.next_due() - nanoseconds{below(2) == 0};
            now_ = std::max(now_, just_before);
        } else {
            now_ = saturating(now_, any_delay() / 8);
        }
        const std::size_t limit = below(3) == 0 ? below(40) : SIZE_MAX;
        std::vector<void*> fired;
        const std::size_t count =
            wheel_.expire(now_, [&](void* item) { fired.push_back(item); }, limit);
        CHECK(count == fired.size());
        REQUIRE(fired == model_.expire(now_, limit));
    }

    static nanoseconds saturating(nanoseconds a, nanoseconds b) {
        return waybill::saturating_add(a, b);
    }

    std::mt19937_64 random_;
    std::uint64_t span_bits_ = 0;
    std::uint64_t constants_ = 0;
    std::uint64_t arms_ = 0;
    std::uintptr_t items_ = 0;
    nanoseconds now_{0};
    waybill::timer_wheel wheel_;
    model model_;
};

}  // namespace

TEST_CASE("timer wheel: every random history agrees with a multimap") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        history h{seed};
        for (int step = 0; step < 2000; ++step) h.step();
        h.finish();
    }
}
