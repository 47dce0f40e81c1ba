/// What waits for a time: a million timers, armed and fired in tens of nanoseconds each.
///
/// Guarantee: a timer never fires early, not by a nanosecond; timers fire in the order of their due
/// times, and those due together in the order they were armed. Nothing here reads a clock, does I/O
/// or looks behind an item before it fires. The items belong to the caller. Not thread-safe: the
/// owner locks.
///
/// A delay that is used again and again gets a queue of its own (timer_lanes.hpp), any other timer
/// lies in a bucket by its due time (timer_buckets.hpp); this class merges the two.
#pragma once

#include "time/timer_buckets.hpp"
#include "time/timer_chunks.hpp"
#include "time/timer_lanes.hpp"
#include <waybill/export.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace waybill {

class WAYBILL_INNER timer_wheel {
public:
    static constexpr std::size_t npos = std::numeric_limits<std::size_t>::max();

    timer_wheel() = default;
    timer_wheel(const timer_wheel&) = delete;
    timer_wheel& operator=(const timer_wheel&) = delete;
    /// Forgets what still waits; the items are not touched.
    ~timer_wheel() = default;

    /// Arms a timer for `now + delay`, or for the end of the range when that is beyond it. A delay
    /// of 0 or less is due at once. `now` should not fall from call to call; the order of firing
    /// does not depend on it.
    void arm(std::chrono::nanoseconds now, std::chrono::nanoseconds delay, void* item);

    /// Arms a timer for `due`, which may have passed.
    void arm_at(std::chrono::nanoseconds due, void* item);

    /// When the first timer is due: exact. nullopt when none waits.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const noexcept;

    /// Calls `fire(item)` or `fire(item, due)` for every timer with `due <= now`, `limit` at most,
    /// and returns how many. `fire` must not call back into this object (collect, then arm). If it
    /// throws, the timer it was called for is gone and the later ones still wait.
    template <class F>
    std::size_t expire(std::chrono::nanoseconds now, F&& fire, std::size_t limit = npos);

    /// Fires all timers, whenever they are due, in order, and frees the memory. As `expire` else.
    template <class F>
    std::size_t drain(F&& fire);

    /// How many timers wait.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Memory held, this object included.
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    enum class source { none, lanes, buckets };
    struct due_run {
        timer_run run;
        source from = source::none;
    };
    /// Takes off what has fired, also when `fire` throws.
    struct progress {
        timer_wheel& wheel;
        source from;
        std::size_t fired = 0;
        ~progress() { wheel.pop(from, fired); }
    };

    static constexpr std::size_t prefetch_ahead = 8;

    static constexpr std::uint64_t key_of(std::chrono::nanoseconds due) noexcept {
        return static_cast<std::uint64_t>(due.count()) ^ (std::uint64_t{1} << 63);
    }
    static constexpr std::chrono::nanoseconds due_of(std::uint64_t key) noexcept {
        return std::chrono::nanoseconds{static_cast<std::int64_t>(key ^ (std::uint64_t{1} << 63))};
    }

    template <class F>
    static void call(F& fire, const timer_entry& entry);

    due_run next_run(std::uint64_t now, std::size_t limit);
    void pop(source from, std::size_t count) noexcept;

    timer_chunk_pool pool_;
    timer_lanes lanes_{pool_};
    timer_buckets buckets_{pool_};
    std::uint64_t armed_ = 0;
    std::size_t size_ = 0;
};

template <class F>
void timer_wheel::call(F& fire, const timer_entry& entry) {
    if constexpr (std::invocable<F&, void*, std::chrono::nanoseconds>) {
        fire(entry.item, due_of(entry.key));
    } else {
        fire(entry.item);
    }
}

template <class F>
std::size_t timer_wheel::expire(std::chrono::nanoseconds now, F&& fire, std::size_t limit) {
    std::size_t total = 0;
    while (total < limit) {
        const auto [run, from] = next_run(key_of(now), limit - total);
        const auto entries = run.entries;
        if (run.due == 0) break;
        for (const auto& entry : entries.first(std::min(prefetch_ahead, run.due))) {
            __builtin_prefetch(entry.item);
        }
        progress done{*this, from};
        while (done.fired < run.due) {
            const std::size_t at = done.fired++;
            if (at + prefetch_ahead < entries.size()) {
                __builtin_prefetch(entries[at + prefetch_ahead].item);
            }
            call(fire, entries[at]);
        }
        total += run.due;
    }
    return total;
}

template <class F>
std::size_t timer_wheel::drain(F&& fire) {
    const std::size_t count = expire(std::chrono::nanoseconds::max(), fire);
    pool_.keep(0);
    return count;
}

}  // namespace waybill
