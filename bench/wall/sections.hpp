/// The parts of bench_wall, each of which prints its own lines.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace bench {

void measure_rates();
void measure_hand_over();
void measure_latency();
void measure_lateness();

/// The value that `percent` of all are not above. Sorts.
inline double percentile(std::vector<double>& all, std::size_t percent) {
    std::sort(all.begin(), all.end());
    return all.empty() ? 0 : all[(all.size() - 1) * percent / 100];
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
