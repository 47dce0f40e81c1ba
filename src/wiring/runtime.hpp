/// A running app: its connections, lanes, threads and timers, from start to stop.
///
/// Guarantee: a stop within its limit loses nothing: what was handed out is settled or given back,
/// and what waits in the process's memory is published at once with its due time. Kept alive by
/// its threads, so that a handler that outlasts the stop finds its state.
#pragma once

#include "dispatch/pool.hpp"
#include "dispatch/subscription.hpp"
#include "log/logger.hpp"
#include "settle/conditions.hpp"
#include "settle/id_source.hpp"
#include "settle/probe.hpp"
#include "time/delay_store.hpp"
#include "time/timers.hpp"
#include "wiring/app_core.hpp"
#include "wiring/signals.hpp"
#include <waybill/clock.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/health.hpp>

#include <atomic>
#include <condition_variable>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace waybill::wiring {

enum class run_mode : std::uint8_t {
    threads,
    by_hand,     ///< no thread: the caller drives every lane and timer
    one_by_one,  ///< the same, one delivery at a time: tests see what happens in order
};

class runtime final : public detail::transport_host, public std::enable_shared_from_this<runtime> {
public:
    /// `observer` may be null; it outlives the runtime.
    WAYBILL_INNER static std::shared_ptr<runtime> make(const detail::app_core& core, run_mode mode,
                                                       settle::probe* observer);
    ~runtime();

    /// Checks the wiring, makes the state, connects, declares dead letters and begins to read. A
    /// stop that comes meanwhile waits; one that came before, or comes out of on_startup, is why
    /// the app does not start.
    WAYBILL_INNER std::expected<void, std::vector<error>> start();
    /// True when everything was finished within the limit.
    WAYBILL_INNER bool stop(std::chrono::nanoseconds limit);
    /// Returns after a signal or a request of the app.
    void wait_for_stop(const signal_wait& signals);
    /// A stop whose limit ends with the next signal: a person who asks twice wants it now.
    bool stop_unless_hurried(const signal_wait& signals, std::chrono::nanoseconds limit);

    [[nodiscard]] WAYBILL_INNER waybill::health health() const;

    /// What its source can do, now that it is connected.
    [[nodiscard]] WAYBILL_INNER detail::capabilities can_do(
        const detail::resolved_subscription& each) const;
    /// The server can be reached again: nothing waits before it connects.
    WAYBILL_INNER void try_now() noexcept;

    /// By hand: runs one turn of one lane; false when all are at rest.
    bool run_one() noexcept { return hand_->run_one(); }
    /// When the next timer of any kind is due.
    [[nodiscard]] WAYBILL_INNER std::optional<std::chrono::nanoseconds> next_due() const;
    /// Lets at most `limit` timers fire, those that are due first; says how many did.
    WAYBILL_INNER std::size_t tick(std::chrono::nanoseconds now, std::size_t limit);
    /// Retries and copies that wait in the process's own memory.
    [[nodiscard]] std::size_t waiting_in_process() const;

    [[nodiscard]] std::shared_ptr<clock> time() const noexcept override { return time_; }
    void timer_changed() noexcept override;
    [[nodiscard]] bool is_driven_by_hand() const noexcept override {
        return mode_ != run_mode::threads;
    }
    [[nodiscard]] std::string_view app_name() const noexcept override { return settings_->name; }
    void warn(std::string_view event, std::string_view broker,
              std::string_view what) noexcept override {
        log_.write(log_level::warning, event, {{"broker", broker}, {"what", what}});
    }
    void tell(std::string_view event, std::string_view broker,
              std::string_view what) noexcept override {
        log_.write(log_level::info, event, {{"broker", broker}, {"what", what}});
    }

    [[nodiscard]] const std::vector<std::unique_ptr<dispatch::subscription>>& running() const {
        return running_;
    }

private:
    struct connection {
        std::shared_ptr<detail::broker_plan> plan;
        std::shared_ptr<detail::transport> transport;
        std::unique_ptr<time::delay_store> store;
        std::unique_ptr<dispatch::pool> reader;  ///< runs the inline handlers
        std::size_t inline_lanes = 0;
    };

    runtime(const detail::app_core& core, run_mode mode, settle::probe* observer);

    std::expected<void, std::vector<error>> begin();
    [[nodiscard]] error stopped_before() const;
    std::expected<void, error> make_states();
    std::expected<void, error> connect();
    std::expected<void, error> open(const detail::resolved_subscription& each);
    dispatch::equipment equip(const detail::resolved_subscription& each);
    [[nodiscard]] std::string reader_of(const detail::resolved_subscription& each) const;
    void share(dispatch::subscription& made, const detail::resolved_subscription& each);
    std::vector<dispatch::pool*> pools_for(const detail::resolved_subscription& each);
    std::expected<void, error> begin_reading();
    void start_threads();
    void say_started(const detail::resolved_subscription& each) const;
    std::vector<error> fail(std::vector<error> problems);
    void keep_time();
    void copy_waits(const std::string& broker, std::string_view why);
    void lane_is_quiet();
    bool wait_until_quiet(std::chrono::nanoseconds limit);
    void hurry();
    void give_back_the_rest();
    void end_clock();
    void end_threads(bool all_ended);
    void enter(health_state state, std::string reason = {});

    const std::shared_ptr<const detail::app_settings> settings_;
    const std::vector<std::shared_ptr<detail::broker_plan>> plans_;
    const std::vector<detail::state_maker> makers_;
    const std::vector<std::shared_ptr<void>> given_states_;
    const std::shared_ptr<event> stop_requested_;
    std::vector<error> problems_;
    std::vector<detail::resolved_subscription> resolved_;
    run_mode mode_;
    settle::probe* observer_;
    std::shared_ptr<clock> time_;
    log::logger log_;
    settle::conditions trouble_;
    settle::id_source ids_;
    std::string host_;
    std::vector<std::shared_ptr<void>> states_;
    time::timers timers_;
    std::vector<connection> connections_;
    std::unique_ptr<dispatch::pool> hand_;
    std::unique_ptr<dispatch::pool> workers_;
    std::vector<std::unique_ptr<dispatch::pool>> lane_pools_;
    std::vector<std::unique_ptr<dispatch::subscription>> running_;

    mutable std::mutex mutex_;
    std::condition_variable quiet_;
    health_state state_ = health_state::starting;
    std::string reason_;
    bool hurried_ = false;
    std::recursive_mutex life_mutex_;  ///< a start or a stop is under way
    std::optional<bool> stop_result_;  ///< guarded by it

    std::mutex clock_mutex_;
    std::condition_variable clock_wake_;
    bool timer_changed_ = false;
    bool clock_ends_ = false;
    std::thread clock_thread_;
};

}  // namespace waybill::wiring
