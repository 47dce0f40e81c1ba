/// Where Waybill reads the time, so that a test can move it by hand and a demo can hurry it.
///
/// Guarantee: `now()` never goes back, whatever happens to the wall clock. Delays are measured on
/// `now()` alone; `wall()` only dates headers and log lines. Arithmetic saturates at the ends of
/// the range (about 292 years) and never wraps round.
#pragma once

#include <waybill/export.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace waybill {

/// A source of time. Every function may be called from any thread.
class WAYBILL_API clock {
public:
    clock() = default;
    clock(const clock&) = delete;
    clock& operator=(const clock&) = delete;
    virtual ~clock();

    /// The time since an arbitrary origin. Monotonic, and not moved by a change of the wall clock.
    [[nodiscard]] virtual std::chrono::nanoseconds now() const noexcept = 0;

    /// The time since 1970-01-01T00:00:00Z. May jump either way on a real machine.
    [[nodiscard]] virtual std::chrono::milliseconds wall() const noexcept = 0;

    /// When, on the machine's steady clock, `due` (on this clock) will be reached: at that moment
    /// `now() >= due`. The end of the range when that is too far away to say; nullopt for a clock
    /// that moves only by hand.
    [[nodiscard]] virtual std::optional<std::chrono::steady_clock::time_point> real_time_of(
        std::chrono::nanoseconds due) const noexcept = 0;
};

/// The machine's clocks: `now()` is its steady clock, `wall()` its system clock. One shared object.
WAYBILL_API std::shared_ptr<clock> real_clock();

/// A clock that starts at `now() == 0` and the machine's wall time, and runs `factor` times as fast
/// as the machine. Throws std::invalid_argument unless `factor` is a finite number above 0.
WAYBILL_API std::shared_ptr<clock> scaled_clock(double factor);

/// A clock that stands still until it is moved. Starts at `now() == 0` and
/// `wall()` = 2000-01-01T00:00:00Z; both advance together.
class WAYBILL_API manual_clock final : public clock {
public:
    manual_clock() = default;

    [[nodiscard]] std::chrono::nanoseconds now() const noexcept override;
    [[nodiscard]] std::chrono::milliseconds wall() const noexcept override;
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> real_time_of(
        std::chrono::nanoseconds due) const noexcept override;

    /// Moves to `time`. A time that has passed changes nothing, so nested advances never go back.
    void advance_to(std::chrono::nanoseconds time) noexcept;

    /// Moves on by `span`, to the end of the range at most. Zero and less change nothing.
    void advance_by(std::chrono::nanoseconds span) noexcept;

private:
    std::atomic<std::int64_t> now_{0};
};

}  // namespace waybill
