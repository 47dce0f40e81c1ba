/// What a case of bench_exact_run counts with.
#pragma once

#include <malloc.h>
#include <valgrind/callgrind.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>

namespace bench {

/// How often memory was asked for since the program began.
extern std::atomic<std::uint64_t> allocations;

/// All memory that is in use, with what the allocator itself needs for it. Of the thread that the
/// program began with.
inline std::size_t heap_in_use() noexcept {
    const auto all = ::mallinfo2();
    return all.uordblks + all.hblkhd;
}

/// What stands between two readings of the counters; sections add up.
class meter {
public:
    void begin() {
        at_begin_ = allocations.load();
        CALLGRIND_START_INSTRUMENTATION;
    }
    void end() {
        CALLGRIND_STOP_INSTRUMENTATION;
        allocated_ += allocations.load() - at_begin_;
    }
    /// For a case whose figure is memory, not work.
    void holds(std::size_t bytes) noexcept { bytes_ = bytes; }

    void report() const {
        std::cout << "allocations " << allocated_ << "\nbytes " << bytes_ << '\n';
    }

private:
    std::uint64_t at_begin_ = 0;
    std::uint64_t allocated_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace bench
