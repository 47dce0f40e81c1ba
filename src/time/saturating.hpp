/// Arithmetic on durations that stops at the ends of the range instead of overflowing.
///
/// Guarantee: constexpr, never undefined, monotonic: a larger argument never gives a smaller
/// result.
#pragma once

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <type_traits>

namespace waybill {

constexpr std::chrono::nanoseconds saturating_add(std::chrono::nanoseconds a,
                                                  std::chrono::nanoseconds b) noexcept {
    using std::chrono::nanoseconds;
    std::int64_t sum{};
    if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return nanoseconds{sum};
    return b.count() < 0 ? nanoseconds::min() : nanoseconds::max();
}

/// `span` in nanoseconds, or the nearer end of the range: `hours::max()` becomes
/// `nanoseconds::max()`. A fraction of a nanosecond is rounded up, so that no wait is shortened.
/// Not-a-number is 0.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds saturating_nanoseconds(
    std::chrono::duration<Rep, Period> span) noexcept {
    using std::chrono::nanoseconds;
    if constexpr (std::floating_point<Rep>) {
        const auto count = std::chrono::duration<Rep, std::nano>{span}.count();
        if (std::isnan(count)) return nanoseconds{0};
        if (count >= 0x1p63) return nanoseconds::max();
        if (count <= -0x1p63) return nanoseconds::min();
        const auto whole = static_cast<std::int64_t>(count);
        return nanoseconds{whole + (static_cast<Rep>(whole) < count ? 1 : 0)};
    } else if constexpr (std::ratio_greater_v<Period, std::nano>) {
        using wide = std::chrono::duration<std::common_type_t<Rep, std::int64_t>, Period>;
        if (wide{span} > std::chrono::duration_cast<wide>(nanoseconds::max())) {
            return nanoseconds::max();
        }
        if (wide{span} < std::chrono::duration_cast<wide>(nanoseconds::min())) {
            return nanoseconds::min();
        }
        return std::chrono::duration_cast<nanoseconds>(wide{span});
    } else {
        return std::chrono::ceil<nanoseconds>(span);
    }
}

}  // namespace waybill
