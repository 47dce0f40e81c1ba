#include "settle/moves.hpp"
#include "time/saturating.hpp"

#include <utility>

namespace waybill::settle {

executor::executor(scope& shared, home& lane) : shared_{shared}, lane_{lane} {}
executor::~executor() = default;

[[gnu::always_inline]] inline situation executor::situation_here(const case_file& about) const {
    situation now;
    now.attempt = about.attempt;
    now.counted = about.from.counted;
    now.deaths = about.past.deaths;
    now.stale = is_stale(about);
    now.foreign = about.past.foreign;
    now.own_history = about.past.own;
    if (about.expires_at_ms() != 0) [[unlikely]]
        now.expires_in = time_left(about);
    return now;
}

situation executor::situation_of(const case_file& about) const { return situation_here(about); }

nanoseconds executor::time_left(const case_file& about) const {
    const auto expires = std::chrono::milliseconds{about.expires_at_ms()};
    return saturating_nanoseconds(expires - shared_.time->wall());
}

[[gnu::always_inline]] inline void executor::execute_here(plan decided, const case_file& about,
                                                          std::string_view error) {
    switch (decided.act) {
        case action::accept:
        case action::reject:
            counters::add(decided.dropped ? shared_.totals.dropped : shared_.totals.acked);
            if (decided.dropped) say_dropped(decided, about, error);
            return settle(about,
                          decided.act == action::accept ? settle_kind::accept : settle_kind::reject,
                          {});
        case action::requeue:
        case action::requeue_after:
            counters::add(shared_.totals.retried);
            return settle(about, settle_kind::requeue, decided.delay);
        case action::hold:
            return hold(about, decided.delay, settle_kind::requeue);
        case action::copy:
            return begin_copy(decided, about);
        case action::dead_letter:
            return begin_dead_letter(decided, about, error);
        case action::leave:
            return settle(about, settle_kind::leave, {});
        case action::nothing:
            counters::add(shared_.totals.stale);
            return settle(about, settle_kind::nothing, {});
    }
}

void executor::execute(plan decided, const case_file& about, std::string_view error) {
    execute_here(decided, about, error);
}

void executor::finish(const case_file& about, outcome answer, std::string_view error) {
    if (shared_.observer != nullptr) {
        shared_.observer->answered(shared_.declared->name, about.view(), answer, error);
    }
    const auto decided = plan_settlement(answer, shared_.rule, situation_here(about));
    if (shared_.rule.has_fixed_wait && decided.act == action::copy) [[unlikely]]
        say_fixed_wait(answer);
    execute_here(decided, about, error);
}

/// A wait of another length than the place has was asked for: it cannot be had.
void executor::say_fixed_wait(outcome answer) const {
    if (answer.delay() <= answer.delay().zero()) return;
    shared_.log->write(log_level::warning, "refused_outcome",
                       {{"subscription", shared_.declared->name},
                        {"outcome", to_string(answer)},
                        {"instead", "it waits as long as " + *shared_.declared->retry_to + " says"},
                        {"fix", "answer retry(), or leave the team's own retry queue out"}});
}

std::string_view id_for_people(const case_file& about) {
    if (!about.past.root_id.empty()) return about.past.root_id;
    // A transport keeps the properties of its protocol under names that begin with ':'.
    return headers::borrow(about.from.packed_headers).text(":message_id").value_or("");
}

void executor::say_dropped(const plan& decided, const case_file& about,
                           std::string_view error) const {
    const bool was_asked_for =
        decided.reason == dead_reason::outcome || shared_.rule.drop_when_spent;
    shared_.log->write(was_asked_for ? log_level::info : log_level::warning, "dropped",
                       {{"subscription", shared_.declared->name},
                        {"reason", to_string(decided.reason)},
                        {"attempt", about.attempt},
                        {"address", about.from.address},
                        {"id", id_for_people(about)},
                        {"error", error}});
}

void executor::release(const case_file& about) { settle(about, settle_kind::release, {}); }

void executor::wait_on(const case_file& about, nanoseconds left) {
    if (shared_.rule.can.delay == detail::delay_support::broker) {
        return settle(about, settle_kind::release, left);
    }
    const auto shortest = shared_.rule.can.shortest_wait;
    if (left < shortest) return hold(about, left, std::nullopt);
    const bool has_place = about.past.own || shared_.rule.can.copies_to_source;
    if (shortest > shortest.zero() && shared_.rule.can.delays_copies && has_place) {
        return begin_hop(about, left);
    }
    const outgoing_view same{about.from.address, about.from.payload, about.from.packed_headers,
                             left};
    if (is_stale(about)) return settle(about, settle_kind::nothing, {});
    // What is no copy of this reader's own (a dead letter that waits) is every reader's of its
    // address: each of them would send it there again, for all the others too.
    if (!about.past.own) return hold(about, left, settle_kind::release);
    if (shared_.observer != nullptr) shared_.observer->keeping(about.view(), same);
    const bool kept = shared_.store->put(same, dead_letter_address()) == publish_status::confirmed;
    settle(about, kept ? settle_kind::accept : settle_kind::release, {});
}

void executor::report(const case_file& about, settle_kind kind) {
    shared_.observer->settled(shared_.declared->name, about.attempt,
                              is_stale(about) ? settle_kind::nothing : kind);
}

void executor::flush() {
    if (acked_ != 0) counters::add(shared_.totals.acked, std::exchange(acked_, 0));
    if (settled_.empty()) return;
    shared_.consumer->settle(settled_);
    settled_.clear();
}

// ---- held deliveries ---------------------------------------------------------------------------

void executor::hold(const case_file& about, nanoseconds delay, std::optional<settle_kind> then) {
    held_.push_back(std::make_unique<held>(*this, about, then));
    shared_.wakes->arm(shared_.time->now(), delay, *held_.back());
}

void executor::held_long_enough(held& waiting) {
    const auto owner = take_out(held_, waiting);
    if (!owner->then) return lane_.resume(owner->about);
    if (*owner->then == settle_kind::requeue) counters::add(shared_.totals.retried);
    settle(owner->about, *owner->then, {});
}

// ---- reconnect and stop ------------------------------------------------------------------------

void executor::forget_stale() { give_back_waiting(true); }

void executor::wind_down() {
    winds_down_ = true;
    give_back_waiting(false);
}

/// What waits for a time, to be published again or for itself.
void executor::give_back_waiting(bool only_stale) {
    const auto ends = [&](const auto& each) { return !only_stale || is_stale(each->about); };
    for (const auto& moving : moves_) {
        if (moving->now == move::stage::pausing && ends(moving)) give_back(*moving);
    }
    for (const auto& waiting : held_) {
        if (!waiting->is_given_back && ends(waiting)) give_back(*waiting);
    }
}

void executor::give_back(move& moving) {
    end_trouble(moving);
    moving.now = move::stage::given_back;
    ++given_back_;
    settle_unless_stale(moving.about, settle_kind::release);
}

void executor::give_back(held& waiting) {
    waiting.is_given_back = true;
    ++given_back_;
    settle_unless_stale(waiting.about, waiting.then.value_or(settle_kind::release));
}

void executor::settle_unless_stale(const case_file& about, settle_kind kind) {
    const bool stale = is_stale(about);
    if (stale) counters::add(shared_.totals.stale);
    settle(about, stale ? settle_kind::nothing : kind, {});
}

/// The timer or the ticket that named it has come, the last to know of it.
void executor::given_back_came(move& moving) {
    --given_back_;
    let_go(moving);
}

void executor::given_back_came(held& waiting) {
    --given_back_;
    take_out(held_, waiting);
}

}  // namespace waybill::settle
