/// The one function that decides. Pure: an outcome, what is known of the delivery, what was
/// declared and what the transport can do go in; exactly one action comes out
/// (docs/architecture.md, section 4). It reads no clock and does no I/O, and every transport goes
/// through it.
#pragma once

#include "message/failure_record.hpp"
#include <waybill/backoff.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/outcome.hpp>

namespace waybill::settle {

enum class action : std::uint8_t {
    accept,         ///< settle positively
    requeue,        ///< give back; the broker delivers again at once
    requeue_after,  ///< give back; the broker delivers again after `delay`
    hold,           ///< keep in hand for `delay`, then give back
    copy,           ///< publish a copy due after `delay`, confirmed, then settle positively
    dead_letter,    ///< publish to the dead letter, confirmed, then settle positively
    reject,         ///< the broker's own dead-letter policy
    leave,          ///< unsettled until the next session
    nothing,        ///< stale: it comes again by itself
};

struct plan {
    std::chrono::nanoseconds delay{0};
    action act = action::accept;
    dead_reason reason = dead_reason::outcome;  ///< why it ends here
    bool dropped = false;  ///< accepted or rejected without having been handled
    bool unseen = false;   ///< no handler ran: what is published carries attempt - 1

    friend constexpr bool operator==(const plan&, const plan&) noexcept = default;
};

/// What was declared and what the transport can do: constant for one subscription.
struct rules {
    detail::capabilities can;
    std::uint32_t cap = 0;               ///< 0: none
    std::uint32_t max_redeliveries = 0;  ///< 0: none; only where the broker counts `returns`
    bool has_dead_letter = false;
    bool has_retry_address = false;
    bool drop_when_spent = false;
    bool rejects_drops = false;
    bool has_fixed_wait = false;  ///< what goes to the retry address waits as long as that says
    backoff retry_delay;
};

/// What is known of one delivery.
struct situation {
    std::uint32_t attempt = 1;
    std::uint32_t counted = 0;  ///< by the broker, before this delivery
    std::uint32_t deaths = 0;   ///< how often the message was dead-lettered before
    bool stale = false;
    bool foreign = false;      ///< a copy that another reader made: one attempt only
    bool own_history = false;  ///< our own retry source, or `*`
    std::optional<std::chrono::nanoseconds> expires_in;
};

inline constexpr std::chrono::nanoseconds longest_pause = std::chrono::seconds{5};

/// How long an immediate retry without a cap pauses, so that it never spins: none the first time,
/// then 10 ms doubling to 5 s.
constexpr std::chrono::nanoseconds pause_of(std::uint32_t attempt) noexcept {
    if (attempt <= 1) return std::chrono::nanoseconds{0};
    if (attempt > 10) return longest_pause;
    return std::min<std::chrono::nanoseconds>(std::chrono::milliseconds{10} * (1 << (attempt - 2)),
                                              longest_pause);
}

/// From its second death on a dead letter waits, so that a ring across apps cannot spin: 1 s,
/// doubling to 5 min.
constexpr std::chrono::nanoseconds death_delay(std::uint32_t deaths_before) noexcept {
    if (deaths_before == 0) return std::chrono::nanoseconds{0};
    if (deaths_before > 9) return std::chrono::minutes{5};
    return std::min<std::chrono::nanoseconds>(std::chrono::seconds{1} * (1 << (deaths_before - 1)),
                                              std::chrono::minutes{5});
}

/// Where a message ends whose attempts are spent, or that nobody could read.
constexpr plan spent(const rules& declared, const situation& now, dead_reason reason) noexcept {
    if (declared.has_dead_letter) {
        return {death_delay(now.deaths), action::dead_letter, reason, false};
    }
    const bool rejects = declared.can.spent_is_rejected && !declared.drop_when_spent;
    return {{}, rejects ? action::reject : action::accept, reason, true};
}

namespace rule {

using std::chrono::nanoseconds;

constexpr plan unseen(plan made) noexcept {
    made.unseen = true;
    return made;
}

/// So near the broker's own limit that the next return might make it drop the message.
constexpr bool near_limit(const rules& declared, const situation& now) noexcept {
    const auto limit = declared.can.delivery_limit;
    return limit != 0 && now.counted >= limit - std::min(limit, 2U);
}

/// Could a copy that carries so much have been made of crashes, and not of an answer? It has begun
/// the broker's count anew, so nothing else tells it from one that no reader has had in hand.
constexpr bool may_be_of_crashes(const rules& declared, std::uint32_t carried) noexcept {
    const auto limit = declared.can.delivery_limit;
    if (declared.cap == 0 || limit == 0 || carried == 0) return false;
    const auto near = limit - std::min(limit, 2U);
    return declared.max_redeliveries != 0 ? near < declared.cap : carried >= near;
}

/// May the delivery be given back, or would its count be lost or the broker's limit be met?
constexpr bool may_give_back(const rules& declared, const situation& now) noexcept {
    if (declared.has_retry_address || near_limit(declared, now)) return false;
    return declared.can.requeue == detail::requeue_support::counted &&
           declared.can.counts == detail::count_support::failures;
}

constexpr nanoseconds wait_of_copy(const rules& declared, nanoseconds delay) noexcept {
    return declared.has_fixed_wait ? nanoseconds{0} : delay;
}

constexpr plan again_now(const rules& declared, const situation& now) noexcept {
    if (may_give_back(declared, now)) return {{}, action::requeue, {}, false};
    return {{}, action::copy, {}, false};
}

constexpr plan again_later(const rules& declared, const situation& now,
                           nanoseconds delay) noexcept {
    if (may_give_back(declared, now)) {
        if (declared.can.delay == detail::delay_support::broker) {
            return {delay, action::requeue_after, {}, false};
        }
        if (declared.can.delay == detail::delay_support::held) {
            return {delay, action::hold, {}, false};
        }
    }
    return {wait_of_copy(declared, delay), action::copy, {}, false};
}

/// A retry without a cap, a delay or a back-off: for ever, but never spinning.
constexpr plan again_without_cap(const rules& declared, const situation& now) noexcept {
    if (declared.has_retry_address) {
        return {wait_of_copy(declared, pause_of(now.attempt)), action::copy, {}, false};
    }
    if (declared.can.requeue == detail::requeue_support::none) {
        return {{}, action::leave, {}, false};
    }
    if (near_limit(declared, now)) return {pause_of(now.attempt), action::copy, {}, false};
    const bool counts = declared.can.counts == detail::count_support::failures;
    const auto pause = counts ? pause_of(now.attempt) : std::chrono::milliseconds{100};
    if (pause == pause.zero()) return {{}, action::requeue, {}, false};
    const bool waits_there = declared.can.delay == detail::delay_support::broker;
    return {pause, waits_there ? action::requeue_after : action::hold, {}, false};
}

}  // namespace rule

constexpr plan plan_settlement(outcome answer, const rules& declared,
                               const situation& now) noexcept {
    if (now.stale) return {{}, action::nothing, {}, false};
    if (answer.kind() == outcome_kind::ack) return {};
    if (answer.kind() == outcome_kind::drop) {
        return {{}, declared.rejects_drops ? action::reject : action::accept, {}, true};
    }
    if (now.foreign) return spent(declared, now, dead_reason::foreign_copy);
    if (declared.cap != 0 && now.attempt >= declared.cap) {
        return spent(declared, now, dead_reason::attempts);
    }
    auto delay = answer.delay();
    if (delay <= delay.zero()) delay = declared.retry_delay.after(now.attempt);
    if (now.expires_in && delay >= *now.expires_in) {
        return spent(declared, now, dead_reason::expired);
    }
    if (delay > delay.zero()) return rule::again_later(declared, now, delay);
    if (declared.cap == 0) return rule::again_without_cap(declared, now);
    return rule::again_now(declared, now);
}

/// The check on receipt: a message whose attempts were spent without an answer (it killed the
/// process, or the connection fell) or whose time to live is over ends here, and one that the
/// broker is about to give up on goes on as a copy. Its handler does not run. Nothing: run it.
constexpr std::optional<plan> plan_on_receipt(const rules& declared,
                                              const situation& now) noexcept {
    const bool over_cap = declared.cap != 0 && now.attempt > declared.cap;
    if (over_cap && (now.counted != 0 || now.own_history)) {
        return rule::unseen(spent(declared, now, dead_reason::redelivered));
    }
    // A copy would begin the broker's count anew, so returns that end crash loops end them here;
    // but not before there were as many as the cap, for stops and lost connections return it as
    // well.
    const bool gives_up = now.counted != 0 && rule::near_limit(declared, now);
    const bool ends_here = gives_up && (now.foreign || now.counted >= declared.cap);
    if (declared.max_redeliveries != 0 && (now.counted > declared.max_redeliveries || ends_here)) {
        return rule::unseen(spent(declared, now, dead_reason::redelivered));
    }
    if (now.expires_in && *now.expires_in <= now.expires_in->zero()) {
        return rule::unseen(spent(declared, now, dead_reason::expired));
    }
    // One that returns may end is charged for all of them together, so that the loop ends at the
    // cap.
    const bool charged = declared.max_redeliveries != 0;
    if (gives_up && !now.foreign) return plan{{}, action::copy, {}, false, !charged};
    return std::nullopt;
}

}  // namespace waybill::settle
