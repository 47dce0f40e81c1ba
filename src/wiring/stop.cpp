#include "wiring/runtime.hpp"

#include <algorithm>

namespace waybill::wiring {

using std::chrono::nanoseconds;

void runtime::wait_for_stop(const signal_wait& signals) {
    const auto signal = signals.wait(*stop_requested_);
    log_.write(log_level::info, "stop_requested",
               {{"by", signal == SIGTERM  ? "SIGTERM"
                       : signal == SIGINT ? "SIGINT"
                                          : "the app"}});
}

bool runtime::stop_unless_hurried(const signal_wait& signals, nanoseconds limit) {
    event over;
    std::thread watch{[&] {
        if (signals.wait(over) != 0) hurry();
    }};
    const bool finished = stop(limit);
    over.happen();
    watch.join();
    return finished;
}

void runtime::hurry() {
    log_.write(log_level::warning, "stop_hurried",
               {{"meaning", "a second signal came; handlers that still run are not waited for"}});
    const std::lock_guard lock{mutex_};
    hurried_ = true;
    quiet_.notify_all();
}

void runtime::lane_is_quiet() {
    const std::lock_guard lock{mutex_};
    quiet_.notify_all();
}

bool runtime::wait_until_quiet(nanoseconds limit) {
    const auto all_quiet = [this] {
        return std::ranges::all_of(running_, [](const auto& each) { return each->is_quiet(); });
    };
    if (mode_ != run_mode::threads) {
        while (hand_->run_one()) {
        }
        return all_quiet();
    }
    // Checked on every turn's end; the period only bounds what a missed notice would cost.
    constexpr auto period = std::chrono::milliseconds{20};
    const auto end = std::chrono::steady_clock::now() +
                     std::min<nanoseconds>(limit, std::chrono::hours{24 * 365});
    std::unique_lock lock{mutex_};
    while (!all_quiet()) {
        const auto now = std::chrono::steady_clock::now();
        if (hurried_ || now >= end) return false;
        quiet_.wait_until(lock, std::min(end, now + period));
    }
    return true;
}

bool runtime::stop(nanoseconds limit) {
    const std::lock_guard once{life_mutex_};
    if (stop_result_) return *stop_result_;
    if (health().state == health_state::failed) return *(stop_result_ = true);
    enter(health_state::stopping);
    for (const auto& each : running_) each->stop();
    const bool finished = wait_until_quiet(limit);
    if (!finished) give_back_the_rest();
    // No timer may publish a copy that is just being flushed.
    end_clock();
    std::size_t pending = 0;
    std::size_t lost = 0;
    for (auto& each : connections_) {
        pending += each.store->waiting();
        lost += each.store->flush();
        each.plan->link->close();
    }
    end_threads(finished);
    for (auto& each : connections_) each.transport->close();
    // A ticket or a timer may name a delivery that was given back until here.
    timers_.drain();
    if (finished || mode_ != run_mode::threads) running_.clear();
    log_.write(lost == 0 ? log_level::info : log_level::error, "stopped",
               {{"pending_delays", pending}, {"lost", lost}, {"in_time", finished}});
    enter(health_state::stopped, finished ? "" : "handlers were still running at the stop's limit");
    return *(stop_result_ = finished);
}

void runtime::give_back_the_rest() {
    for (const auto& each : running_) {
        each->give_back();
        if (each->is_quiet()) continue;
        log_.write(log_level::error, "stop_limit_reached",
                   {{"subscription", each->shared.declared->name},
                    {"busy_lanes", each->busy_lanes()},
                    {"meaning", "a handler still runs; its delivery is given back"}});
    }
}

void runtime::end_clock() {
    if (!clock_thread_.joinable()) return;
    {
        const std::lock_guard lock{clock_mutex_};
        clock_ends_ = true;
        clock_wake_.notify_all();
    }
    clock_thread_.join();
}

void runtime::end_threads(bool all_ended) {
    if (mode_ != run_mode::threads) {
        // What the flush woke finds nothing to take, and must not find its lane gone.
        while (hand_->run_one()) {
        }
        return;
    }
    const auto end = [&](dispatch::pool& each) { all_ended ? each.join() : each.abandon(); };
    if (workers_) end(*workers_);
    for (auto& each : lane_pools_) end(*each);
    for (auto& each : connections_) {
        if (each.reader) end(*each.reader);
    }
}

}  // namespace waybill::wiring
