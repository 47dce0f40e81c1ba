/// The time of a live run: that of the last thing that was told.
#pragma once

#include <waybill/clock.hpp>

#include <algorithm>

namespace waybill::scenario {

/// Begins at 0. Wall time is the machine's, of when it began, and goes on with it.
class event_clock final : public clock {
public:
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept override { return now_; }
    [[nodiscard]] std::chrono::milliseconds wall() const noexcept override {
        return std::chrono::floor<std::chrono::milliseconds>(begun_wall_ + now_);
    }
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> real_time_of(
        std::chrono::nanoseconds due) const noexcept override {
        return std::chrono::steady_clock::time_point{begun_ + due};
    }

    /// Of the machine's steady clock.
    void goes_to(std::chrono::nanoseconds steady) noexcept {
        now_ = std::max(now_, steady - begun_);
    }
    void goes_to_now() noexcept { goes_to(std::chrono::steady_clock::now().time_since_epoch()); }

private:
    std::chrono::nanoseconds begun_{std::chrono::steady_clock::now().time_since_epoch()};
    std::chrono::nanoseconds begun_wall_{std::chrono::system_clock::now().time_since_epoch()};
    std::chrono::nanoseconds now_{0};
};

}  // namespace waybill::scenario
