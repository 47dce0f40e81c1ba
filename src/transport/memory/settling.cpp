// What readers take, and how it comes back or ends.
#include "transport/memory/store.hpp"

#include <algorithm>

namespace waybill::memory {

using detail::received;
using detail::settle_kind;
using detail::settle_op;

namespace {

/// Is this a delivery that comes first again?
bool goes_to_front(const settle_op& operation) noexcept {
    return (operation.kind == settle_kind::release || operation.kind == settle_kind::nothing) &&
           operation.delay <= operation.delay.zero();
}

}  // namespace

// ---- taking ------------------------------------------------------------------------------------

std::size_t store::take(reader& by, std::span<received> room, const clock& time) noexcept {
    bool is_plain = true;
    {
        const std::lock_guard lock{mutex_};
        if (by.cancelled_ || by.from_->count == 0) return 0;
        is_plain = by.from_->is_plain;
        if (is_plain) [[likely]]
            return give_out(by, room);
    }
    return take_measured(by, room, time.now());
}

/// Moves the first of the queue into the reader's hand.
[[gnu::always_inline]] inline std::size_t store::give_out(reader& by,
                                                          std::span<received> room) noexcept {
    auto& from = *by.from_;
    const auto count = std::min(room.size(), from.count);
    if (count == 0) return 0;
    const auto generation = by.generation_.load(std::memory_order_relaxed);
    const bool counts = how_.counts != counting::none;
    auto* each = &from.ready.first();
    auto* last = each;
    for (std::size_t at = 0; at < count; ++at) {
        last = each;
        each = static_cast<entry*>(each->next);
        __builtin_prefetch(each);
        room[at] = {last->to->name,
                    {last->payload(), last->payload_size},
                    {last->bytes(), last->headers_size},
                    last,
                    generation,
                    counts ? last->count : 0,
                    last->redelivered};
    }
    by.hand_.take_front(from.ready, *last);
    from.count -= count;
    by.in_hand_ += count;
    return count;
}

/// The same where messages leave by themselves, or the queue is bounded.
std::size_t store::take_measured(reader& by, std::span<received> room, nanoseconds now) {
    endings ended;
    std::size_t count = 0;
    {
        const std::lock_guard lock{mutex_};
        if (by.cancelled_) return 0;
        auto& from = *by.from_;
        expire(now, SIZE_MAX, ended);
        count = give_out(by, room);
        for (const auto& each : room.first(count)) {
            auto& taken = *static_cast<entry*>(each.token);
            if (from.measured) {
                from.measured->ready_bytes -= taken.size();
                from.measured->in_hand.add(taken);
            }
            if (taken.has_limit) {
                leaving_.remove(taken);
                taken.life().stop_aging();
            }
        }
        for (auto& each : room.first(count)) {
            auto& taken = *static_cast<entry*>(each.token);
            if (taken.has_limit) each.expires_at_ms = taken.life().expires_at_ms;
        }
    }
    tell(ended);
    return count;
}

std::size_t store::available(const reader& by) const noexcept {
    const std::lock_guard lock{mutex_};
    return by.cancelled_ ? 0 : by.from_->count;
}

// ---- settling ----------------------------------------------------------------------------------

void store::settle(reader& by, std::span<const settle_op> operations, nanoseconds now) {
    {
        const std::lock_guard lock{mutex_};
        if (by.from_->is_plain) [[likely]] {
            bool has_more = false;
            for (const auto& operation : operations) {
                auto* message = static_cast<entry*>(operation.token);
                if (operation.kind == settle_kind::accept && !message->orphaned) [[likely]] {
                    ring::remove(*message);
                    --by.in_hand_;
                    slab_.give(message);
                } else if (operation.kind == settle_kind::requeue && !message->orphaned) {
                    ring::remove(*message);
                    --by.in_hand_;
                    if (!is_kept_after_return(by, *message, true)) continue;
                    if (operation.delay <= operation.delay.zero()) {
                        push_back(*by.from_, *message);
                    } else {
                        keep_waiting(*by.from_, *message, operation.delay, now);
                    }
                } else if (goes_to_front(operation)) {
                    has_more = true;
                } else {
                    settle_one(by, operation, now);
                }
            }
            if (!has_more) return;
            // The last one first, so that they stand in the order in which they were taken.
            for (auto at = operations.rbegin(); at != operations.rend(); ++at) {
                if (goes_to_front(*at)) settle_one(by, *at, now);
            }
            return;
        }
    }
    settle_measured(by, operations, now);
}

void store::settle_measured(reader& by, std::span<const settle_op> operations, nanoseconds now) {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        for (const auto& each : operations) {
            if (!goes_to_front(each)) settle_one(by, each, now);
        }
        for (auto at = operations.rbegin(); at != operations.rend(); ++at) {
            if (goes_to_front(*at)) settle_one(by, *at, now);
        }
        admit(*by.from_, ended);
    }
    tell(ended);
}

void store::leave_hand(reader& by, entry& message) noexcept {
    ring::remove(message);
    --by.in_hand_;
    if (by.from_->measured) by.from_->measured->in_hand.take_off(message);
}

void store::settle_one(reader& by, const settle_op& operation, nanoseconds now) {
    auto& message = *static_cast<entry*>(operation.token);
    if (message.orphaned) {
        ring::remove(message);
        return slab_.give(&message);
    }
    if (operation.kind == settle_kind::leave) return;
    leave_hand(by, message);
    if (operation.kind == settle_kind::accept || operation.kind == settle_kind::reject) {
        return slab_.give(&message);
    }
    const bool has_failed = operation.kind == settle_kind::requeue;
    if (!is_kept_after_return(by, message, has_failed)) return;
    if (has_failed || operation.delay > operation.delay.zero()) {
        deliver(*by.from_, message, operation.delay, now);
    } else {
        enter_first(*by.from_, message);
    }
}

[[gnu::always_inline]] inline bool store::is_kept_after_return(const reader& by, entry& message,
                                                               bool has_failed) noexcept {
    message.redelivered = true;
    if (!is_counted(has_failed) || ++message.count <= most_returns_) [[likely]]
        return true;
    ++removed_.over_limit;
    say_removed(*by.from_, message);
    slab_.give(&message);
    return false;
}

/// Puts clones of what is in hand back to the front, in order; the originals stay readable for
/// whoever holds them, and are freed when they are settled, or with the store.
void store::return_hand(reader& by, bool has_failed) {
    by.generation_.fetch_add(1, std::memory_order_release);
    if (has_failed) by.listener().reconnected();
    if (by.in_hand_ == 0) return;
    const auto is_over_limit = [&](const entry& held) {
        return is_counted(has_failed) && held.count >= most_returns_;
    };
    // All clones before the first change: memory may run out.
    ring again;
    std::uint64_t dropped = 0;
    try {
        by.hand_.for_each([&](entry& held) {
            if (is_over_limit(held)) {
                ++dropped;
                return;
            }
            auto* made = clone(held);
            made->redelivered = true;
            if (is_counted(has_failed)) ++made->count;
            again.push_back(*made);
        });
    } catch (...) {
        again.for_each([&](entry& each) { slab_.give(&each); });
        throw;
    }
    removed_.over_limit += dropped;
    by.hand_.for_each([&](entry& held) {
        if (is_over_limit(held)) say_removed(*by.from_, held);
        held.orphaned = true;
        leave_hand(by, held);
        orphans_.push_back(held);
    });
    while (!again.empty()) {
        auto& last = again.last();
        ring::remove(last);
        enter_first(*by.from_, last);
    }
}

}  // namespace waybill::memory
