#include "wiring/runtime.hpp"

#include "wiring/check.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

namespace waybill::wiring {

using std::chrono::nanoseconds;

namespace {

std::string host_name(run_mode mode) {
    if (mode == run_mode::one_by_one) return "simulated";
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

/// Tells the copies of one process from those of another; the same in every test.
std::string id_prefix(run_mode mode) {
    if (mode == run_mode::one_by_one) return "id";
    std::random_device random;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string prefix;
    for (int word = 0; word < 4; ++word) {
        for (auto bits = random(), left = 8U; left != 0; --left, bits >>= 4) {
            prefix += digits[bits & 15];
        }
    }
    return prefix;
}

}  // namespace

std::shared_ptr<runtime> runtime::make(const detail::app_core& core, run_mode mode,
                                       settle::probe* observer) {
    return std::shared_ptr<runtime>{new runtime{core, mode, observer}};
}

runtime::runtime(const detail::app_core& core, run_mode mode, settle::probe* observer)
    : settings_{core.settings},
      plans_{core.plans},
      makers_{core.makers},
      given_states_{core.given_states},
      stop_requested_{core.stop_requested},
      problems_{check(core)},
      resolved_{core.resolve()},
      mode_{mode},
      observer_{observer},
      time_{settings_->time},
      log_{settings_->log},
      ids_{settings_->id_prefix.empty() ? id_prefix(mode) : settings_->id_prefix},
      host_{host_name(mode)},
      timers_{[this] { timer_changed(); }} {}

runtime::~runtime() {
    for (const auto& plan : plans_) plan->link->close();
}

// ---- time --------------------------------------------------------------------------------------

void runtime::timer_changed() noexcept {
    if (mode_ != run_mode::threads) return;
    const std::lock_guard lock{clock_mutex_};
    timer_changed_ = true;
    clock_wake_.notify_one();
}

std::optional<nanoseconds> runtime::next_due() const {
    auto first = timers_.next_due();
    for (const auto& each : connections_) {
        const auto due = each.transport->next_due();
        if (due && (!first || *due < *first)) first = due;
    }
    return first;
}

std::size_t runtime::tick(nanoseconds now, std::size_t limit) {
    std::size_t fired = 0;
    while (fired < limit) {
        const auto due = next_due();
        if (!due || *due > now) break;
        const auto room = limit - fired;
        if (timers_.next_due() == due) fired += timers_.fire_due(*due, room);
        for (auto& each : connections_) {
            if (fired < limit && each.transport->next_due() == due) {
                fired += each.transport->tick(*due, limit - fired);
            }
        }
    }
    return fired;
}

void runtime::keep_time() {
    constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
    std::unique_lock lock{clock_mutex_};
    while (!clock_ends_) {
        timer_changed_ = false;
        lock.unlock();
        tick(time_->now(), no_limit);
        const auto due = next_due();
        const auto at = due ? time_->real_time_of(*due) : std::nullopt;
        lock.lock();
        const auto wakes = [this] { return clock_ends_ || timer_changed_; };
        if (at) {
            clock_wake_.wait_until(lock, *at, wakes);
        } else {
            clock_wake_.wait(lock, wakes);
        }
    }
}

std::size_t runtime::waiting_in_process() const {
    std::size_t count = 0;
    for (const auto& each : connections_) count += each.store->waiting();
    return count;
}

// ---- health ------------------------------------------------------------------------------------

void runtime::enter(health_state state, std::string reason) {
    {
        const std::lock_guard lock{mutex_};
        state_ = state;
        reason_ = std::move(reason);
    }
    log_.write(state == health_state::failed ? log_level::error : log_level::info, "health",
               {{"app", settings_->name}, {"state", to_string(state)}, {"reason", reason_}});
}

waybill::health runtime::health() const {
    {
        const std::lock_guard lock{mutex_};
        if (state_ != health_state::running) return {state_, reason_};
    }
    // The connections stay as they are from the start on, and are asked without a lock of ours.
    auto trouble = trouble_.describe();
    for (const auto& each : connections_) {
        const auto theirs = each.transport->trouble(time_->now());
        if (theirs.empty()) continue;
        if (!trouble.empty()) trouble += "; ";
        trouble += each.plan->config->describe() + ": " + theirs;
    }
    if (trouble.empty()) return {health_state::running, {}};
    return {health_state::degraded, trouble};
}

}  // namespace waybill::wiring
