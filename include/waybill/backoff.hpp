/// How long a `retry` without a delay of its own waits.
///
/// Guarantee: plain data; the same attempt always gives the same delay.
#pragma once

#include <waybill/detail/delay_unit.hpp>
#include <waybill/export.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace waybill {

class WAYBILL_API backoff {
public:
    /// No back-off: a `retry` is delivered again at once.
    backoff() = default;

    /// The same delay before every redelivery.
    [[nodiscard]] static backoff fixed(std::chrono::nanoseconds delay);
    /// `first`, doubling before each further redelivery, at most `longest`.
    [[nodiscard]] static backoff exponential(std::chrono::nanoseconds first,
                                             std::chrono::nanoseconds longest);
    template <detail::number Number>  // never compiles: says why
    [[nodiscard]] static backoff fixed(Number) {
        (void)detail::delay_without_unit<Number>{};
        return {};
    }
    template <detail::number First, class Longest>  // never compiles: says why
    [[nodiscard]] static backoff exponential(First, Longest) {
        (void)detail::delay_without_unit<First>{};
        return {};
    }
    /// One delay for each redelivery in turn; the last one repeats.
    [[nodiscard]] static backoff list(std::vector<std::chrono::nanoseconds> delays);

    /// True when there is no back-off.
    [[nodiscard]] bool empty() const noexcept { return delays_.empty(); }
    /// The delay after delivery number `attempt` (the first is 1); zero when empty.
    [[nodiscard]] std::chrono::nanoseconds after(std::uint32_t attempt) const noexcept {
        return delays_.empty() ? std::chrono::nanoseconds{0} : declared_after(attempt);
    }
    /// Every delay is above zero and nothing shrinks below its own start; else what is wrong.
    [[nodiscard]] std::string problem() const;
    /// "none", "10s", "1s doubling to 5m", "1s, 10s, 1m".
    [[nodiscard]] std::string describe() const;

private:
    [[nodiscard]] std::chrono::nanoseconds declared_after(std::uint32_t attempt) const noexcept;

    std::vector<std::chrono::nanoseconds> delays_;
    std::chrono::nanoseconds longest_{0};
    bool doubles_ = false;
};

}  // namespace waybill
