/// What a case of bench_exact_run counts with.
#pragma once

#include <valgrind/callgrind.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <string>

namespace bench {

/// How often memory was asked for since the program began.
extern std::atomic<std::uint64_t> allocations;

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
    void report() const { std::cout << "allocations " << allocated_ << '\n'; }

private:
    std::uint64_t at_begin_ = 0;
    std::uint64_t allocated_ = 0;
};

/// By name; a case handles so many messages.
using case_table = std::map<std::string, std::function<void(std::size_t, meter&)>, std::less<>>;

/// codec.<name>_<decode|encode>_<28|1k>: a codec alone, into and from one object.
void add_codec_cases(case_table& cases);

}  // namespace bench
