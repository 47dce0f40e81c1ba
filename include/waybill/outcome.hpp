/// What a handler answers to one delivery: `ack`, `retry`, `retry_after(delay)` or `drop`.
///
/// Guarantee: a small value (16 bytes, trivially copyable) that says what is wanted; what is done
/// about it is decided by the settlement plan, from the declaration and the transport.
#pragma once

#include <waybill/detail/delay_unit.hpp>
#include <waybill/export.h>

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

namespace waybill {

/// The four answers.
enum class outcome_kind : std::uint8_t {
    ack,          ///< the work is done
    retry,        ///< deliver again, at once or after the declared back-off
    retry_after,  ///< deliver again after this delay
    drop,         ///< the message is of no use; never goes to the dead letter
};

/// "ack", "retry", "retry_after" or "drop".
WAYBILL_API const char* to_string(outcome_kind kind) noexcept;

class [[nodiscard("an outcome settles only where the handler returns it")]] outcome {
public:
    constexpr outcome() noexcept = default;
    /// As given; `ack()`, `retry()`, `retry_after(d)` and `drop()` read better.
    constexpr outcome(outcome_kind kind, std::chrono::nanoseconds delay) noexcept
        : delay_{delay}, kind_{kind} {}

    /// Which of the four it is.
    [[nodiscard]] constexpr outcome_kind kind() const noexcept { return kind_; }
    /// Zero unless the kind is retry_after.
    [[nodiscard]] constexpr std::chrono::nanoseconds delay() const noexcept { return delay_; }

    /// The same kind and the same delay.
    friend constexpr bool operator==(outcome, outcome) noexcept = default;

private:
    std::chrono::nanoseconds delay_{0};
    outcome_kind kind_ = outcome_kind::ack;
};

/// The work is done; the message is settled positively.
constexpr outcome ack() noexcept { return {}; }

/// Deliver the message again: at once, or after the back-off that the subscription declares.
constexpr outcome retry() noexcept { return {outcome_kind::retry, {}}; }

/// The message is of no use to anybody: settled, counted in the metrics, never a dead letter.
constexpr outcome drop() noexcept { return {outcome_kind::drop, {}}; }

/// Deliver the message again after `delay`, without holding up the deliveries behind it. A delay
/// of zero or less is `retry`; one above 292 years is cut to that.
template <class Rep, class Period>
constexpr outcome retry_after(std::chrono::duration<Rep, Period> delay) noexcept {
    using std::chrono::nanoseconds;
    using seconds = std::chrono::duration<long double>;
    constexpr auto longest = nanoseconds::max();
    if (!(delay > delay.zero())) return retry();
    if (seconds{delay} >= seconds{longest}) return {outcome_kind::retry_after, longest};
    // In two parts: the count of a unit such as a third of a second, in nanoseconds, may not fit.
    const auto whole = std::chrono::floor<std::chrono::seconds>(delay);
    const auto rest = std::chrono::ceil<nanoseconds>(delay - whole);
    return {outcome_kind::retry_after, whole + rest};
}

template <detail::number Number>  // never compiles: says why
constexpr outcome retry_after(Number) noexcept {
    (void)detail::delay_without_unit<Number>{};
    return {};
}

/// "ack", "retry", "retry_after 30s" or "drop".
WAYBILL_API std::string to_string(outcome value);
/// As `to_string` has it.
WAYBILL_API std::ostream& operator<<(std::ostream& stream, outcome value);

/// A duration as people write it: the largest unit that is exact ("1500ms", "30s", "2m").
WAYBILL_API std::string to_text(std::chrono::nanoseconds duration);

}  // namespace waybill
