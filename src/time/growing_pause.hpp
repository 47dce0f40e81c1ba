/// How long to pause before something is tried again.
///
/// Guarantee: constexpr, no overflow; never longer than the longest pause that is given.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace waybill {

/// `first`, doubled so many times.
constexpr std::chrono::nanoseconds growing_pause(std::chrono::nanoseconds first, unsigned doublings,
                                                 std::chrono::nanoseconds longest) noexcept {
    if (doublings > 62 || first.count() > longest.count() >> doublings) return longest;
    return first * (std::int64_t{1} << doublings);
}

inline constexpr std::chrono::nanoseconds first_repeat = std::chrono::milliseconds{100};

/// Of what did not succeed with a server, so many times before: 100 ms, doubling to 30 s.
constexpr std::chrono::nanoseconds pause_before_repeat(unsigned tries) noexcept {
    return growing_pause(first_repeat, tries, std::chrono::seconds{30});
}

/// Between a half and the whole of a pause, anywhere, so that many do not come back at the same
/// moment.
template <std::uniform_random_bit_generator Random>
std::chrono::nanoseconds jittered(std::chrono::nanoseconds pause, Random& random) {
    const auto half = pause.count() / 2;
    std::uniform_int_distribution<std::int64_t> any{half, std::max(pause.count() - 1, half)};
    return std::chrono::nanoseconds{any(random)};
}

}  // namespace waybill
