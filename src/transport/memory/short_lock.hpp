/// A mutex for sections of nanoseconds: taken and left in a handful of instructions while nobody
/// waits, where std::mutex costs sixty; a thread that has to wait sleeps in the kernel.
///
/// Guarantee: mutual exclusion, as std::mutex; works with std::lock_guard. Not recursive, not fair.
#pragma once

#include <atomic>
#include <cstdint>

namespace waybill::memory {

class short_lock {
public:
    void lock() noexcept {
        auto seen = free;
        if (!state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) [[unlikely]] {
            wait();
        }
    }
    void unlock() noexcept {
        if (state_.exchange(free, std::memory_order_release) == awaited) [[unlikely]] {
            state_.notify_one();
        }
    }

private:
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t taken = 1;
    static constexpr std::uint32_t awaited = 2;  ///< taken, and somebody sleeps

    [[gnu::noinline, gnu::cold]] void wait() noexcept {
        while (state_.exchange(awaited, std::memory_order_acquire) != free) {
            state_.wait(awaited, std::memory_order_relaxed);
        }
    }

    std::atomic<std::uint32_t> state_{free};
};

}  // namespace waybill::memory
