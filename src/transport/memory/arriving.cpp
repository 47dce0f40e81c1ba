// What is published: where it goes, and how it becomes an entry.
#include "time/saturating.hpp"
#include "transport/memory/store.hpp"

#include <algorithm>
#include <cstring>

namespace waybill::memory {

using detail::publish_status;
using detail::publish_ticket;

namespace {

/// What an entry's sizes can say.
constexpr std::size_t largest_message = UINT32_MAX;

publish_status status_of(publish_fault fault) noexcept {
    switch (fault) {
        case publish_fault::failed:
            return publish_status::failed;
        case publish_fault::unroutable:
            return publish_status::unroutable;
        case publish_fault::refused:
            return publish_status::refused;
        case publish_fault::lost:
        case publish_fault::taken_and_lost:
            return publish_status::lost;
    }
    return publish_status::failed;
}

outgoing_view view_of(entry& message) noexcept {
    return {{}, {message.payload(), message.payload_size}, {message.bytes(), message.headers_size}};
}

}  // namespace

// ---- entries -----------------------------------------------------------------------------------

[[gnu::always_inline]] inline entry* store::make_entry(address& to, const outgoing_view& message) {
    const auto headers_size = message.packed_headers.size();
    const auto payload_size = message.payload.size();
    auto* made = slab_.take(headers_size + payload_size);
    made->to = &to;
    made->headers_size = static_cast<std::uint32_t>(headers_size);
    made->payload_size = static_cast<std::uint32_t>(payload_size);
    made->count = 0;
    made->redelivered = false;
    made->orphaned = false;
    made->has_limit = false;
    if (headers_size != 0) std::memcpy(made->bytes(), message.packed_headers.data(), headers_size);
    if (payload_size != 0) std::memcpy(made->payload(), message.payload.data(), payload_size);
    return made;
}

/// One that leaves by itself: by its own time to live, or by the address's retention.
entry* store::make_limited(address& to, const outgoing_view& message) {
    const auto size = message.packed_headers.size() + message.payload.size();
    auto* made = slab_.take(entry::life_offset(size) + sizeof(lifetime));
    const auto size_class = made->size_class;
    *made = {{nullptr, {nullptr}},
             &to,
             static_cast<std::uint32_t>(message.packed_headers.size()),
             static_cast<std::uint32_t>(message.payload.size()),
             0,
             size_class,
             false,
             false,
             true};
    std::ranges::copy(message.packed_headers, made->bytes());
    std::ranges::copy(message.payload, made->payload());
    made->life() = {lifetime::never};
    return made;
}

/// The same message where it can leave by age. The other is gone.
entry& store::with_life(entry& message) {
    if (message.has_limit || age_of(*message.to) == nanoseconds{0}) [[likely]]
        return message;
    auto* made = make_limited(*message.to, view_of(message));
    made->count = message.count;
    made->redelivered = message.redelivered;
    slab_.give(&message);
    return *made;
}

entry* store::clone(entry& from) {
    entry* made = nullptr;
    if (from.has_limit) {
        made = slab_.take(entry::life_offset(from.size()) + sizeof(lifetime));
        const auto size_class = made->size_class;
        std::memcpy(static_cast<void*>(made), &from, sizeof from);
        made->size_class = size_class;
        std::memcpy(made->bytes(), from.bytes(),
                    entry::life_offset(from.size()) + sizeof(lifetime));
        made->orphaned = false;
    } else {
        made = make_entry(*from.to, view_of(from));
        made->count = from.count;
        made->redelivered = from.redelivered;
    }
    return made;
}

// ---- publishing --------------------------------------------------------------------------------

publish_status store::publish(const outgoing_view& message, client& by, publish_ticket* ticket) {
    if (message.packed_headers.size() + message.payload.size() > largest_message) [[unlikely]]
        return publish_status::refused;
    const auto hash = hash_of(message.address);
    {
        const std::lock_guard lock{mutex_};
        auto& to = routes_.named(message.address, hash);
        if (to.one_push_at == routes_.generation()) [[likely]] {
            push_back(*to.first_target, *make_entry(to, message));
            return publish_status::confirmed;
        }
    }
    return publish_with_care(message, by, ticket);
}

publish_status store::publish_with_care(const outgoing_view& message, client& by,
                                        publish_ticket* ticket) {
    if (message.packed_headers.size() + message.payload.size() > largest_message) {
        return publish_status::refused;
    }
    endings ended;
    auto status = publish_status::confirmed;
    {
        const std::lock_guard lock{mutex_};
        status = publish_locked(message, by, ticket, ended);
    }
    tell(ended);
    return status;
}

publish_status store::publish_locked(const outgoing_view& message, client& by,
                                     publish_ticket* ticket, endings& ended) {
    auto& to = routes_.named(message.address);
    const bool may_fail = to.is_planned_to_fail && by.host != nullptr;
    const auto fault = may_fail ? take_planned_fault(to) : std::nullopt;
    if (fault && fault != publish_fault::taken_and_lost) return status_of(*fault);
    if (!prepare(to)) return publish_status::refused;
    if (auto* full = full_target(to, message)) {
        const auto status = hold_back(to, *full, message, by, ticket);
        if (status != publish_status::confirmed) return status;
    }
    put(to, message, *by.time, ended);
    return fault ? status_of(*fault) : publish_status::confirmed;
}

/// Finds what is known of an address anew when it is out of date.
bool store::prepare(address& to) {
    if (to.routed_at == routes_.generation()) return true;
    if (!routes_.route(to)) return false;
    const auto declared = limits_.find(to.name);
    to.limit = declared != limits_.end() ? &declared->second : &how_.limit;
    if (to.limit->messages == 0 && to.limit->bytes == 0) to.limit = nullptr;
    const auto kept = retentions_.find(to.name);
    to.keep = kept != retentions_.end() ? &kept->second : &how_.keep;
    if (*to.keep == retention{}) to.keep = nullptr;
    if (to.limit != nullptr || to.keep != nullptr) measure_targets(to);
    if (to.keep != nullptr && !to.history) {
        to.history = std::make_unique<backlog>();
        measure(*to.history);
    } else if (to.keep == nullptr && to.history) {
        empty(*to.history);
        to.history.reset();
    }
    const bool is_one_push = to.more_targets.empty() && to.limit == nullptr && to.keep == nullptr &&
                             !to.is_planned_to_fail && !to.first_target->measured;
    to.one_push_at = is_one_push ? routes_.generation() : 0;
    return true;
}

/// The message goes to every queue that takes it, and to the history where there is one.
void store::put(address& to, const outgoing_view& message, const clock& time, endings& ended) {
    const bool expires = message.time_to_live > nanoseconds{0};
    const bool ends = expires || age_of(to) > nanoseconds{0};
    auto* first = ends ? make_limited(to, message) : make_entry(to, message);
    const auto now = expires || message.delay > nanoseconds{0} ? time.now() : nanoseconds{0};
    if (expires) {
        auto& life = first->life();
        life.due = life.expires = saturating_add(now, message.time_to_live);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(message.time_to_live);
        life.expires_at_ms = (time.wall() + left).count();
    }
    if (to.keep != nullptr && message.delay <= nanoseconds{0}) {
        enter(*to.history, *clone(*first));
        enforce(*to.history, to, ended);
    }
    for (auto* further : to.more_targets) deliver(*further, *clone(*first), message.delay, now);
    deliver(*to.first_target, *first, message.delay, now);
    if (to.keep == nullptr) return;
    to.for_each_target([&](backlog* each) { enforce(*each, to, ended); });
}

void store::deliver(backlog& to, entry& message, nanoseconds delay, nanoseconds now) {
    delay <= nanoseconds{0} ? enter(to, message) : keep_waiting(to, message, delay, now);
}

void store::keep_waiting(backlog& to, entry& message, nanoseconds delay, nanoseconds now) {
    // What expires before its time comes leaves then, and is not armed twice.
    if (message.has_limit) {
        message.life().stop_aging();
        delay = std::min(delay, message.life().expires - now);
    }
    message.home = &to;
    to.waiting.add(message);
    note_due(now, delay);
    waits_.arm(now, delay, &message);
}

/// What waited for an address that nobody read goes to who reads it by now.
void store::arrived(entry& message, nanoseconds due, endings& ended) {
    auto& home = *message.home;
    home.waiting.take_off(message);
    if (message.has_limit && message.life().expires <= due) {
        note_end(home, message);
        slab_.give(&message);
        return admit(home, ended);
    }
    auto& to = *message.to;
    prepare(to);
    if (!home.is_kept) {
        enter(home, message);
        if (to.keep != nullptr) enforce(home, to, ended);
        return;
    }
    for (auto* further : to.more_targets) enter(*further, *clone(message));
    enter(*to.first_target, message);
}

/// Gives a fan-out reader that comes late what its addresses retained for it.
void store::catch_up(backlog& late) {
    const auto give = [&](address& from) {
        auto copy = [&](entry& each) { enter(late, *clone(each)); };
        if (from.history) return from.history->ready.for_each(copy);
        for (auto* own : from.own) {
            if (own->is_kept) own->ready.for_each(copy);
        }
    };
    routes_.for_each_match(late.pattern, give);
}

std::optional<publish_fault> store::take_planned_fault(address& to) {
    const auto found = planned_.find(to.name);
    const auto how = found->second.how;
    if (--found->second.times == 0) {
        planned_.erase(found);
        to.is_planned_to_fail = false;
        routes::forget(to);
    }
    return how;
}

void store::fail_publishes(std::string_view address, std::size_t times, publish_fault how) {
    const std::lock_guard lock{mutex_};
    auto& to = routes_.named(address);
    to.is_planned_to_fail = times != 0;
    routes::forget(to);
    if (times == 0) {
        planned_.erase(to.name);
    } else {
        planned_[to.name] = {times, how};
    }
}

}  // namespace waybill::memory
