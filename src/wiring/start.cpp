#include "wiring/facts.hpp"
#include "wiring/runtime.hpp"

#include <algorithm>
#include <exception>
#include <system_error>

namespace waybill::wiring {

std::expected<void, std::vector<error>> runtime::start() {
    const std::lock_guard once{life_mutex_};
    if (stop_result_) return std::unexpected(std::vector{stopped_before()});
    std::string thrown;
    try {
        return begin();
    } catch (const std::exception& problem) {
        thrown = problem.what();
    } catch (...) {
        thrown = "something that is not a std::exception was thrown";
    }
    return std::unexpected(
        fail({error{errc::failed, "app " + settings_->name, "it could not start: " + thrown,
                    "see what the message types, the clock or the machine's limits (memory, "
                    "threads) refuse"}}));
}

error runtime::stopped_before() const {
    return {errc::stopped, "app " + settings_->name, "it was stopped before it had started",
            "make a new app to start again"};
}

std::expected<void, std::vector<error>> runtime::begin() {
    if (!problems_.empty()) return std::unexpected(fail(problems_));
    if (mode_ != run_mode::threads) hand_ = std::make_unique<dispatch::pool>("hand");
    if (settings_->workers_declared) workers_ = std::make_unique<dispatch::pool>("waybill worker");
    if (auto done = make_states(); !done) return std::unexpected(fail({done.error()}));
    if (stop_result_) return std::unexpected(std::vector{stopped_before()});
    if (auto done = connect(); !done) return std::unexpected(fail({done.error()}));
    for (const auto& each : resolved_) {
        if (auto done = open(each); !done) return std::unexpected(fail({done.error()}));
    }
    for (const auto& each : resolved_) say_started(each);
    if (auto done = begin_reading(); !done) return std::unexpected(fail({done.error()}));
    enter(health_state::running);
    return {};
}

std::vector<error> runtime::fail(std::vector<error> problems) {
    std::string reason;
    for (const auto& each : problems) {
        if (!reason.empty()) reason += "; ";
        reason += each.message();
    }
    // Threads may have begun to read before the one that could not be made.
    bool finished = true;
    if (mode_ == run_mode::threads) {
        for (const auto& each : running_) each->stop();
        finished = wait_until_quiet(settings_->stop_limit);
        if (!finished) give_back_the_rest();
        end_clock();
        end_threads(finished);
    }
    for (auto& each : connections_) {
        each.plan->link->close();
        if (each.transport) each.transport->close();
    }
    timers_.drain();
    if (finished) running_.clear();
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
        each.store = std::make_unique<time::memory_delay_store>(
            *each.transport, timers_, time_,
            [this, name = plan->config->describe()](auto why) { copy_waits(name, why); });
    }
    for (const auto& each : resolved_) {
        const auto& address = each.plan->declared.dead_letter;
        if (!address) continue;
        auto declared =
            connections_[each.broker].transport->declare(*address, each.plan->declared.from);
        if (!declared) return declared;
    }
    return {};
}

/// Health names the broker, as the copies of several subscriptions may wait for it.
void runtime::copy_waits(const std::string& broker, std::string_view why) {
    if (why.empty()) return trouble_.clear(broker);
    trouble_.raise(broker, why);
    log_.write(log_level::error, "publish_failed", {{"broker", broker}, {"problem", why}});
}

dispatch::equipment runtime::equip(const detail::resolved_subscription& each) {
    dispatch::equipment with;
    with.declared = &each.plan->declared;
    with.handler = &each.plan->handler;
    with.format = each.format;
    with.outputs = each.outputs;
    with.memory = connections_[each.broker].transport;
    // Lanes that stand beside each other take one at a time: what one had taken further would wait
    // behind a handler that blocks, while the others are idle.
    if (mode_ == run_mode::one_by_one || each.plan->declared.concurrency > 1) with.max_batch = 1;
    for (const auto& wanted : each.plan->handler.states) {
        const auto at = std::ranges::find(makers_, wanted.type, &detail::state_maker::type);
        with.states.push_back(states_[static_cast<std::size_t>(at - makers_.begin())].get());
    }
    return with;
}

/// What shares one copy of each message: readers of a queue are the queue's, a fan-out reader is
/// the app's. A further subscription that fans out the same source is a reader of its own.
std::string runtime::reader_of(const detail::resolved_subscription& each) const {
    const auto& from = each.plan->declared.from;
    if (!from.fan_out) return from.name;
    const auto same = [&](const auto& other) {
        return other.broker == each.broker && other.plan->declared.from.fan_out &&
               other.plan->declared.from.name == from.name;
    };
    const auto reader = settings_->name + '/' + from.name;
    const auto first = std::ranges::find_if(resolved_, same);
    return first->plan == each.plan ? reader : reader + '/' + each.name;
}

void runtime::try_now() noexcept {
    for (const auto& each : connections_) each.transport->try_now();
}

detail::capabilities runtime::can_do(const detail::resolved_subscription& each) const {
    const auto& at = connections_[each.broker];
    const auto& from = each.plan->declared.from;
    const auto connected = at.transport->capabilities_of(from);
    return connected ? *connected : at.plan->config->capabilities_of(from);
}

void runtime::share(dispatch::subscription& made, const detail::resolved_subscription& each) {
    const auto& declared = each.plan->declared;
    auto& at = connections_[each.broker];
    auto& shared = made.shared;
    shared.declared = &declared;
    shared.rule = rules_of(declared, can_do(each));
    shared.count.reader = reader_of(each);
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
    pack_place(shared.place, declared.from.name, declared.name, host_);
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
    const auto& declared = each.plan->declared;
    connections_[each.broker].transport->expect_waits(declared.from, declared.retry_delay);
    auto reads = connections_[each.broker].transport->consume(declared.from,
                                                              made->shared.count.reader, *made);
    if (!reads) return std::unexpected(reads.error());
    made->open(std::move(*reads), pools_for(each));
    running_.push_back(std::move(made));
    return {};
}

namespace {

/// Without a cap only a broker that counts failures, or a copy that waits, raises the attempt.
bool counts_retries(const declaration& declared, const detail::capabilities& can) {
    return declared.max_attempts || declared.max_redeliveries || declared.retry_to ||
           declared.retry_to_delivery || declared.retry_delay.after(1).count() > 0 ||
           can.counts == detail::count_support::failures ||
           can.requeue == detail::requeue_support::none;
}

}  // namespace

void runtime::say_started(const detail::resolved_subscription& each) const {
    const auto can = can_do(each);
    const auto said = facts_of(each.plan->declared, can);
    log_.write(log_level::info, "started",
               {{"subscription", each.name},
                {"counted_by", said.counted_by},
                {"delays", said.delays},
                {"kill_loses", said.kill_loses},
                {"crash_loop", said.crash_loop},
                {"stop_charges", said.stop_charges}});
    const auto& declared = each.plan->declared;
    const bool counts = can.counts != detail::count_support::none;
    const auto limit = counts ? std::int64_t{can.delivery_limit} : 0;
    if (limit != 0 && declared.max_attempts.value_or(0) > limit) {
        log_.write(log_level::warning, "cap_above_limit",
                   {{"subscription", each.name},
                    {"max_attempts", *declared.max_attempts},
                    {"delivery_limit", limit},
                    {"meaning",
                     "the broker would drop a message before its attempts are spent, so "
                     "near its limit retries are copies"}});
    }
    if (declared.max_attempts && !declared.dead_letter && !declared.drop_when_spent) {
        log_.write(log_level::warning, "no_dead_letter",
                   {{"subscription", each.name},
                    {"meaning", can.spent_is_rejected
                                    ? "a message whose attempts are spent is rejected: where the "
                                      "broker has no dead letter of its own, it is gone"
                                    : "a message whose attempts are spent is dropped"},
                    {"fix", "declare dead_letter(...) or drop_when_spent()"}});
    }
    if (!counts_retries(declared, can)) {
        log_.write(log_level::warning, "no_cap",
                   {{"subscription", each.name},
                    {"meaning",
                     "nothing counts a retry() here without a cap: a message that is never done is "
                     "delivered for ever, and its attempt stays the same"},
                    {"fix", "declare max_attempts(...)"}});
    }
}

std::expected<void, error> runtime::begin_reading() {
    for (auto& each : connections_) each.plan->link->open(each.transport);
    if (mode_ != run_mode::threads) return {};
    try {
        start_threads();
    } catch (const std::system_error& refused) {
        for (const auto& each : running_) each->stop();
        end_clock();
        end_threads(true);
        return std::unexpected(error{
            errc::failed, "app " + settings_->name,
            std::string{"the system refused a thread: "} + refused.what(),
            "ask for fewer lanes by concurrency(...), or share a few threads by workers(...)"});
    }
    return {};
}

void runtime::start_threads() {
    const std::shared_ptr<void> keep = shared_from_this();
    if (workers_) workers_->start(static_cast<std::size_t>(settings_->workers), keep);
    for (auto& each : lane_pools_) each->start(1, keep);
    for (auto& each : connections_) {
        if (each.reader) each.reader->start(1, keep);
    }
    clock_thread_ = std::thread{[this, keep] { keep_time(); }};
}

}  // namespace waybill::wiring
