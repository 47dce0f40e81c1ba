#include "wiring/runtime.hpp"

#include "wiring/check.hpp"
#include "wiring/facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
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
      ids_{id_prefix(mode)},
      host_{host_name(mode)},
      timers_{[this] { timer_changed(); }} {}

runtime::~runtime() {
    for (const auto& plan : plans_) plan->link->close();
}

// ---- start -------------------------------------------------------------------------------------

std::expected<void, std::vector<error>> runtime::start() {
    if (!problems_.empty()) return std::unexpected(fail(problems_));
    if (mode_ != run_mode::threads) hand_ = std::make_unique<dispatch::pool>("hand");
    if (settings_->workers_declared) workers_ = std::make_unique<dispatch::pool>("waybill worker");
    if (auto done = make_states(); !done) return std::unexpected(fail({done.error()}));
    if (auto done = connect(); !done) return std::unexpected(fail({done.error()}));
    for (const auto& each : resolved_) {
        if (auto done = open(each); !done) return std::unexpected(fail({done.error()}));
    }
    for (const auto& each : resolved_) say_started(each);
    begin_reading();
    enter(health_state::running);
    return {};
}

std::vector<error> runtime::fail(std::vector<error> problems) {
    std::string reason;
    for (const auto& each : problems) {
        if (!reason.empty()) reason += "; ";
        reason += each.message();
    }
    for (auto& each : connections_) {
        if (each.transport) each.transport->close();
    }
    running_.clear();
    enter(health_state::failed, reason);
    return problems;
}

std::expected<void, error> runtime::make_states() {
    for (std::size_t at = 0; at < makers_.size(); ++at) {
        if (at < given_states_.size() && given_states_[at]) {
            states_.push_back(given_states_[at]);
            continue;
        }
        const auto failed = [&](std::string what) {
            return std::unexpected(error{errc::failed,
                                         "on_startup of " + std::string{makers_[at].name},
                                         std::move(what), ""});
        };
        try {
            states_.push_back(makers_[at].make());
        } catch (const std::exception& thrown) {
            return failed(thrown.what());
        } catch (...) {
            return failed("it threw something that is not a std::exception");
        }
        if (!states_.back()) return failed("it returned a null pointer");
    }
    return {};
}

std::expected<void, error> runtime::connect() {
    for (const auto& plan : plans_) {
        auto made = plan->config->connect(*this);
        if (!made) return std::unexpected(made.error());
        auto& each = connections_.emplace_back();
        each.plan = plan;
        each.transport = std::move(*made);
        each.store = std::make_unique<time::memory_delay_store>(*each.transport, timers_, time_);
    }
    for (const auto& each : resolved_) {
        const auto& address = each.plan->declared.dead_letter;
        if (!address) continue;
        auto declared = connections_[each.broker].transport->declare(*address);
        if (!declared) return declared;
    }
    return {};
}

dispatch::equipment runtime::equip(const detail::resolved_subscription& each) {
    dispatch::equipment with;
    with.declared = &each.plan->declared;
    with.handler = &each.plan->handler;
    with.format = each.format;
    with.outputs = each.outputs;
    // Lanes that stand beside each other take one at a time: what one had taken further would wait
    // behind a handler that blocks, while the others are idle.
    if (mode_ == run_mode::one_by_one || each.plan->declared.concurrency > 1) with.max_batch = 1;
    for (const auto& wanted : each.plan->handler.states) {
        const auto at = std::ranges::find(makers_, wanted.type, &detail::state_maker::type);
        with.states.push_back(states_[static_cast<std::size_t>(at - makers_.begin())].get());
    }
    return with;
}

void runtime::share(dispatch::subscription& made, const detail::resolved_subscription& each) {
    const auto& declared = each.plan->declared;
    auto& at = connections_[each.broker];
    auto& shared = made.shared;
    shared.declared = &declared;
    shared.rule.can = at.plan->config->capabilities_of(declared.from);
    shared.rule.cap = static_cast<std::uint32_t>(declared.max_attempts.value_or(0));
    if (shared.rule.can.counts == detail::count_support::returns) {
        const auto standard = shared.rule.cap == 0 ? 0 : std::int64_t{shared.rule.cap} + 10;
        shared.rule.max_redeliveries =
            static_cast<std::uint32_t>(declared.max_redeliveries.value_or(standard));
    }
    shared.rule.has_dead_letter = declared.dead_letter.has_value();
    shared.rule.has_retry_address = declared.retry_to.has_value();
    shared.rule.drop_when_spent = declared.drop_when_spent;
    shared.rule.rejects_drops = declared.drop_to_broker || shared.rule.can.drop_is_rejected;
    shared.rule.retry_delay = declared.retry_delay;
    shared.count.reader =
        declared.from.fan_out ? settings_->name + '/' + declared.from.name : declared.from.name;
    shared.count.formerly = declared.formerly;
    shared.count.count_header = settings_->count_header;
    shared.count.cap = shared.rule.cap;
    shared.transport = at.transport.get();
    shared.store = at.store.get();
    shared.wakes = &timers_;
    shared.time = time_.get();
    shared.log = &log_;
    shared.trouble = &trouble_;
    shared.ids = &ids_;
    shared.observer = observer_;
    shared.host = host_;
    shared.on_retry_copy = each.plan->on_retry_copy;
}

std::vector<dispatch::pool*> runtime::pools_for(const detail::resolved_subscription& each) {
    const auto lanes = static_cast<std::size_t>(each.plan->declared.concurrency);
    if (mode_ != run_mode::threads) return std::vector(lanes, hand_.get());
    if (each.plan->declared.runs_inline) {
        auto& at = connections_[each.broker];
        if (!at.reader) at.reader = std::make_unique<dispatch::pool>("waybill reader");
        return {at.reader.get()};
    }
    if (workers_) return std::vector(lanes, workers_.get());
    std::vector<dispatch::pool*> pools;
    for (std::size_t at = 0; at < lanes; ++at) {
        lane_pools_.push_back(std::make_unique<dispatch::pool>(each.name));
        pools.push_back(lane_pools_.back().get());
    }
    return pools;
}

std::expected<void, error> runtime::open(const detail::resolved_subscription& each) {
    auto made = std::make_unique<dispatch::subscription>(equip(each), [this] { lane_is_quiet(); });
    share(*made, each);
    auto reads = connections_[each.broker].transport->consume(each.plan->declared.from,
                                                              made->shared.count.reader, *made);
    if (!reads) return std::unexpected(reads.error());
    made->open(std::move(*reads), pools_for(each));
    running_.push_back(std::move(made));
    return {};
}

void runtime::say_started(const detail::resolved_subscription& each) const {
    const auto can = plans_[each.broker]->config->capabilities_of(each.plan->declared.from);
    const auto said = facts_of(each.plan->declared, can);
    log_.write(log_level::info, "started",
               {{"subscription", each.name},
                {"counted_by", said.counted_by},
                {"delays", said.delays},
                {"kill_loses", said.kill_loses},
                {"crash_loop", said.crash_loop},
                {"stop_charges", said.stop_charges}});
    const auto& declared = each.plan->declared;
    if (declared.max_attempts && !declared.dead_letter && !declared.drop_when_spent) {
        log_.write(log_level::warning, "no_dead_letter",
                   {{"subscription", each.name},
                    {"meaning", "a message whose attempts are spent is dropped"},
                    {"fix", "declare dead_letter(...) or drop_when_spent()"}});
    }
}

void runtime::begin_reading() {
    for (auto& each : connections_) each.plan->link->open(each.transport);
    if (mode_ != run_mode::threads) return;
    const std::shared_ptr<void> keep = shared_from_this();
    if (workers_) workers_->start(static_cast<std::size_t>(settings_->workers), keep);
    for (auto& each : lane_pools_) each->start(1, keep);
    for (auto& each : connections_) {
        if (each.reader) each.reader->start(1, keep);
    }
    clock_thread_ = std::thread{[this, keep] { keep_time(); }};
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

// ---- stop --------------------------------------------------------------------------------------

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
    const std::lock_guard once{stop_mutex_};
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
    const auto trouble = trouble_.describe();
    const std::lock_guard lock{mutex_};
    if (state_ == health_state::running && !trouble.empty()) {
        return {health_state::degraded, trouble};
    }
    return {state_, reason_};
}

}  // namespace waybill::wiring
