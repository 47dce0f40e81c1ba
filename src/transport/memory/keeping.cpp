// What a queue holds and for how long: retention drops the oldest, and lives end.
#include "time/saturating.hpp"
#include "transport/memory/pattern.hpp"
#include "transport/memory/store.hpp"

#include <algorithm>
#include <memory>

namespace waybill::memory {

namespace {

bool is_above(const load& ready, const retention& keep) noexcept {
    return (keep.messages != 0 && ready.messages > keep.messages) ||
           (keep.bytes != 0 && ready.bytes > keep.bytes && ready.messages > 1);
}

}  // namespace

// ---- what a queue holds ------------------------------------------------------------------------

/// From now on it is known what the queue holds.
void store::measure(backlog& from) {
    from.measured = std::make_unique<measures>();
    from.is_plain = false;
    from.ready.for_each([&](const entry& each) { from.measured->ready_bytes += each.size(); });
    for (auto* each : from.readers) {
        each->hand_.for_each([&](const entry& held) { from.measured->in_hand.add(held); });
    }
}

/// Other addresses of a pattern's queue may not push into it unmeasured any more.
void store::measure_targets(address& to) {
    to.for_each_target([this](backlog* each) {
        if (each->measured) return;
        measure(*each);
        if (is_pattern(each->pattern)) routes_.forget_all();
    });
    to.routed_at = routes_.generation();
}

[[gnu::always_inline]] inline void store::note_entry(backlog& to, entry& message) {
    ++to.count;
    if (to.measured) to.measured->ready_bytes += message.size();
    if (message.has_limit) begin_life(to, message);
    for (auto* each : to.readers) each->listener().ready();
}

void store::enter(backlog& to, entry& message) {
    auto& kept = with_life(message);
    to.ready.push_back(kept);
    note_entry(to, kept);
}

void store::enter_first(backlog& to, entry& message) {
    auto& kept = with_life(message);
    to.ready.push_front(kept);
    note_entry(to, kept);
}

/// It is ready, since now or longer: it came from another queue.
void store::begin_life(backlog& in, entry& message) {
    in.is_plain = false;
    auto& life = message.life();
    life.in = &in;
    life.due = life.expires;
    if (life.since == lifetime::not_ready) life.since = outside_.time->now();
    if (const auto age = age_of(*message.to); age > nanoseconds{0}) {
        life.due = std::min(life.expires, saturating_add(life.since, age));
    }
    note_due(nanoseconds{0}, life.due);
    leaving_.add(message);
}

/// The address's retention has changed, also for what is ready.
void store::renew_ages(backlog& in, const address& of) {
    in.ready.for_each([&](entry& each) {
        if (each.to != &of) return;
        if (each.has_limit) leaving_.remove(each);
        auto& before = *each.previous;
        ring::remove(each);
        auto& kept = with_life(each);
        ring::insert_behind(before, kept);
        if (kept.has_limit) begin_life(in, kept);
    });
}

void store::leave(backlog& from, entry& message) noexcept {
    ring::remove(message);
    --from.count;
    if (from.measured) from.measured->ready_bytes -= message.size();
    if (message.has_limit) leaving_.remove(message);
}

void store::empty(backlog& all) noexcept {
    while (!all.ready.empty()) {
        auto& first = all.ready.first();
        leave(all, first);
        slab_.give(&first);
    }
}

// ---- what is dropped ---------------------------------------------------------------------------

/// Counts one whose time is over. What the history forgets was counted in the queues.
void store::note_end(const backlog& in, entry& message) noexcept {
    const auto& life = message.life();
    if (&in == message.to->history.get()) return;
    ++(life.ends_by_age() ? removed_.retired : removed_.expired);
    say_removed(in, message);
}

void store::retire(backlog& in, entry& message) noexcept {
    if (&in != message.to->history.get()) {
        ++removed_.retired;
        say_removed(in, message);
    }
    leave(in, message);
    slab_.give(&message);
}

/// Drops the oldest of what an address keeps above its bounds. In a queue that reads several
/// addresses its own are looked for from the newest on, which costs the length of that queue.
void store::enforce(backlog& in, const address& of, endings& ended) {
    const auto& keep = *of.keep;
    if (!is_above({in.count, in.measured->ready_bytes}, keep)) return;
    if (!is_pattern(in.pattern)) {
        while (is_above({in.count, in.measured->ready_bytes}, keep)) retire(in, in.ready.first());
    } else {
        load newer;
        in.ready.for_each_from_last([&](entry& each) {
            if (each.to != &of) return;
            newer.add(each);
            if (is_above(newer, keep)) retire(in, each);
        });
    }
    admit(in, ended);
}

std::size_t store::expire(nanoseconds now, std::size_t limit, endings& ended) {
    std::size_t count = 0;
    for (; count < limit; ++count) {
        auto* over = leaving_.due(now);
        if (over == nullptr) break;
        auto& in = *over->life().in;
        note_end(in, *over);
        leave(in, *over);
        slab_.give(over);
        admit(in, ended);
    }
    return count;
}

}  // namespace waybill::memory
