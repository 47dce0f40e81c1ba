/// The runtime's own timers: pauses, held deliveries, the delay store's waits. One wheel under one
/// lock, and one wake-up armed for the earliest.
///
/// Guarantee: a task fires never early, in due order, once for each time it was armed. Thread-safe.
/// A kill loses every task; what they wait for is still unsettled at its broker, or was said to be
/// lost (`kill_loses: waiting`).
#pragma once

#include "time/timer_wheel.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace waybill::time {

/// What is to happen at its time. Owned by whoever arms it; stays valid until it fired or the
/// timers are drained.
class timer_task {
public:
    virtual void fire() noexcept = 0;

protected:
    ~timer_task() = default;
};

class timers {
public:
    /// `earlier` is called, without locks held, when a task becomes the earliest.
    explicit timers(std::function<void()> earlier) : earlier_{std::move(earlier)} {}

    void arm(std::chrono::nanoseconds now, std::chrono::nanoseconds delay, timer_task& task);
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const;
    /// Fires at most `limit` tasks that are due; says how many.
    std::size_t fire_due(std::chrono::nanoseconds now, std::size_t limit);
    /// Forgets what is armed: nothing fires any more of what was.
    void drain();
    [[nodiscard]] std::size_t waiting() const;

private:
    mutable std::mutex mutex_;
    timer_wheel wheel_;
    std::vector<timer_task*> due_;
    std::function<void()> earlier_;
};

}  // namespace waybill::time
