#include "time/saturating.hpp"
#include <waybill/clock.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace waybill {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using steady = std::chrono::steady_clock;

constexpr milliseconds year_2000{946'684'800'000};

milliseconds machine_wall() noexcept {
    return std::chrono::duration_cast<milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
}

class machine_clock final : public clock {
public:
    nanoseconds now() const noexcept override { return steady::now().time_since_epoch(); }
    milliseconds wall() const noexcept override { return machine_wall(); }
    std::optional<steady::time_point> real_time_of(nanoseconds due) const noexcept override {
        return steady::time_point{due};
    }
};

class hurried_clock final : public clock {
public:
    explicit hurried_clock(double factor)
        : factor_{factor}, origin_{steady::now()}, wall_origin_{machine_wall()} {}

    nanoseconds now() const noexcept override { return scaled(steady::now() - origin_); }

    milliseconds wall() const noexcept override {
        return wall_origin_ + std::chrono::duration_cast<milliseconds>(now());
    }

    std::optional<steady::time_point> real_time_of(nanoseconds due) const noexcept override {
        nanoseconds wait = quotient(due);
        // Division and multiplication round apart from each other; the promise is `never early`.
        for (nanoseconds step{1}; scaled(wait) < due && wait < nanoseconds::max(); step *= 2) {
            wait = saturating_add(wait, step);
        }
        return steady::time_point{saturating_add(origin_.time_since_epoch(), wait)};
    }

private:
    nanoseconds scaled(nanoseconds real) const noexcept {
        return saturating_floor(static_cast<double>(real.count()) * factor_);
    }

    nanoseconds quotient(nanoseconds due) const noexcept {
        return saturating_floor(static_cast<double>(due.count()) / factor_);
    }

    static nanoseconds saturating_floor(double count) noexcept {
        if (count >= 0x1p63) return nanoseconds::max();
        if (count <= -0x1p63) return nanoseconds::min();
        return nanoseconds{static_cast<std::int64_t>(std::floor(count))};
    }

    double factor_;
    steady::time_point origin_;
    milliseconds wall_origin_;
};

}  // namespace

clock::~clock() = default;

std::shared_ptr<clock> real_clock() {
    static const std::shared_ptr<clock> machine = std::make_shared<machine_clock>();
    return machine;
}

std::shared_ptr<clock> scaled_clock(double factor) {
    if (!std::isfinite(factor) || factor <= 0) {
        throw std::invalid_argument("scaled_clock: a factor of " + std::to_string(factor) +
                                    " cannot drive a clock. Give a finite number above 0");
    }
    return std::make_shared<hurried_clock>(factor);
}

nanoseconds manual_clock::now() const noexcept {
    return nanoseconds{now_.load(std::memory_order_acquire)};
}

milliseconds manual_clock::wall() const noexcept {
    return year_2000 + std::chrono::duration_cast<milliseconds>(now());
}

std::optional<steady::time_point> manual_clock::real_time_of(nanoseconds) const noexcept {
    return std::nullopt;
}

void manual_clock::advance_to(nanoseconds time) noexcept {
    std::int64_t seen = now_.load(std::memory_order_relaxed);
    while (seen < time.count() &&
           !now_.compare_exchange_weak(seen, time.count(), std::memory_order_acq_rel)) {
    }
}

void manual_clock::advance_by(nanoseconds span) noexcept {
    if (span <= nanoseconds::zero()) return;
    std::int64_t seen = now_.load(std::memory_order_relaxed);
    while (!now_.compare_exchange_weak(seen, saturating_add(nanoseconds{seen}, span).count(),
                                       std::memory_order_acq_rel)) {
    }
}

}  // namespace waybill
