// Limits: which publishes a full queue holds back, and what ends their wait.
#include "transport/memory/store.hpp"
#include <waybill/outcome.hpp>

#include <algorithm>
#include <utility>

namespace waybill::memory {

using detail::publish_status;
using detail::publish_ticket;

namespace {

bool has_room(const backlog& in, const limits& at, std::size_t bytes) noexcept {
    const auto held = in.held();
    return (at.messages == 0 || held.messages < at.messages) &&
           (at.bytes == 0 || held.bytes + bytes <= at.bytes);
}

std::string in_words(const limits& at) {
    auto words = at.messages == 0 ? std::string{} : std::to_string(at.messages) + " messages";
    if (at.bytes == 0) return words;
    if (!words.empty()) words += " and ";
    return words + std::to_string(at.bytes) + " bytes";
}

std::size_t size_of(const outgoing_view& message) noexcept {
    return message.packed_headers.size() + message.payload.size();
}

}  // namespace

/// The first queue that has no room, or where others came before; null where all have some.
backlog* store::full_target(const address& to, const outgoing_view& message) {
    backlog* full = nullptr;
    if (to.limit == nullptr) return full;
    const auto bytes = size_of(message);
    to.for_each_target([&](backlog* each) {
        const bool is_full = !each->measured->held.empty() || !has_room(*each, *to.limit, bytes);
        if (is_full && full == nullptr) full = each;
    });
    return full;
}

/// What an app publishes to a queue that it has deliveries of in hand is never held back: these
/// are copies that take the place of their originals, and holding them back would be waiting for
/// itself.
bool store::has_in_hand(const client& by, const address& to) noexcept {
    bool has = false;
    to.for_each_target([&](const backlog* each) {
        for (const auto* reads : each->readers) has |= reads->by_ == &by && reads->in_hand_ != 0;
    });
    return has;
}

bool store::may_wait(const client& by, const publish_ticket* ticket) const {
    if (ticket == nullptr) return false;
    if (!ticket->blocks()) return true;
    return by.host != nullptr ? !by.host->is_driven_by_hand() : self_driven_ != 0;
}

/// `confirmed`: it is to be taken all the same.
publish_status store::hold_back(address& to, backlog& full, const outgoing_view& message,
                                client& by, publish_ticket* ticket) {
    const bool is_lanes = ticket != nullptr && !ticket->blocks();
    // An app that leaves hands over what it has in any case: it would only lie elsewhere.
    if (is_lanes && (by.leaves || has_in_hand(by, to))) return publish_status::confirmed;
    if (to.limit->bytes != 0 && size_of(message) > to.limit->bytes) return publish_status::refused;
    if (by.leaves) return publish_status::lost;
    if (to.limit->full == when_full::fails || !may_wait(by, ticket)) return publish_status::failed;
    full.measured->held.push_back({message, ticket, &by, &to, by.time->now()});
    ++held_count_;
    return publish_status::pending;
}

void store::end(const held_publish& one, publish_status status, endings& ended) {
    one.by->being_told.fetch_add(1);
    ended.push_back({one.by, one.ticket, status});
}

/// Those that `is_one` is true of wait no longer.
template <class F>
std::list<held_publish> store::take_held(F&& is_one) {
    std::list<held_publish> taken;
    if (held_count_ == 0) return taken;
    routes_.for_each_queue([&](backlog& each) {
        if (!each.measured) return;
        auto& held = each.measured->held;
        for (auto at = held.begin(); at != held.end();) {
            auto one = at++;
            if (is_one(*one)) taken.splice(taken.end(), held, one);
        }
    });
    held_count_ -= taken.size();
    return taken;
}

/// The publishes of this client end: lost with its connection, or taken without regard to limits
/// where a lane of an app that leaves waits for them.
void store::end_held(const client& by, bool is_cut, endings& ended) {
    for (const auto& one : take_held([&](const held_publish& each) { return each.by == &by; })) {
        if (is_cut || one.ticket->blocks() || !prepare(*one.to)) {
            end(one, publish_status::lost, ended);
        } else {
            put(*one.to, one.message, *by.time, ended);
            end(one, publish_status::confirmed, ended);
        }
    }
    // What stood behind them may have room.
    admit_everywhere(ended);
}

/// Every app that reads has lost its connection.
void store::lose_held_of_readers(endings& ended) {
    for (const auto& one :
         take_held([](const held_publish& each) { return each.by->reading != 0; })) {
        end(one, publish_status::lost, ended);
    }
    admit_everywhere(ended);
}

/// What waits for room at an address whose limit has changed: what fits goes in, what can never
/// fit is refused, and where publishes wait no more the rest has failed.
void store::end_hopeless(address& to, endings& ended) {
    admit_everywhere(ended);
    if (held_count_ == 0 || !prepare(to) || to.limit == nullptr) return;
    const auto is_too_large = [&](const held_publish& one) {
        return to.limit->bytes != 0 && size_of(one.message) > to.limit->bytes;
    };
    const bool waits = to.limit->full == when_full::waits;
    for (const auto& one : take_held([&](const held_publish& each) {
             return each.to == &to && (!waits || is_too_large(each));
         })) {
        end(one, is_too_large(one) ? publish_status::refused : publish_status::failed, ended);
    }
    admit_everywhere(ended);
}

void store::admit_everywhere(endings& ended) {
    if (held_count_ == 0) return;
    routes_.for_each_queue([&](backlog& each) { admit(each, ended); });
}

/// Lets those in that came first, as long as there is room.
void store::admit(backlog& into, endings& ended) {
    if (!into.measured) return;
    auto& held = into.measured->held;
    while (!held.empty()) {
        auto& next = held.front();
        auto& to = *next.to;
        prepare(to);
        backlog* full = nullptr;
        if (to.limit != nullptr) {
            to.for_each_target([&](backlog* each) {
                if (!has_room(*each, *to.limit, size_of(next.message))) full = each;
            });
        }
        if (full == &into) return;
        if (full != nullptr) {
            auto& theirs = full->measured->held;
            theirs.splice(theirs.end(), held, held.begin());
            continue;
        }
        const auto taken = next;
        held.pop_front();
        --held_count_;
        put(to, taken.message, *taken.by->time, ended);
        end(taken, publish_status::confirmed, ended);
    }
}

// ---- in words ----------------------------------------------------------------------------------

/// Which publish of this client has waited longest, once that is longer than a moment.
std::string store::trouble(const client& by, nanoseconds now) {
    constexpr nanoseconds moment = std::chrono::seconds{1};
    const std::lock_guard lock{mutex_};
    if (held_count_ == 0) return {};
    const held_publish* first = nullptr;
    std::size_t count = 0;
    routes_.for_each_queue([&](const backlog& each) {
        if (!each.measured) return;
        for (const auto& one : each.measured->held) {
            if (one.by != &by) continue;
            ++count;
            if (first == nullptr || one.since < first->since) first = &one;
        }
    });
    if (first == nullptr || now - first->since < moment) return {};
    const auto all = std::to_string(count) + (count == 1 ? " publish waits" : " publishes wait");
    return all + " for room at a full address, the first for " + to_text(now - first->since) +
           " at " + first->to->name;
}

std::optional<error> store::explain(std::string_view address, publish_status status,
                                    const client& by) {
    const std::lock_guard lock{mutex_};
    auto& to = routes_.named(address);
    if (to.limit == nullptr) return std::nullopt;
    const std::string where{address};
    const auto full = "the address is full, with " + in_words(*to.limit) + " at most";
    switch (status) {
        case publish_status::refused:
            return error{
                errc::refused, where,
                "the message is larger than what the address may hold: " + in_words(*to.limit),
                "send a smaller one, or declare a larger limit"};
        case publish_status::lost:
            if (!by.leaves) return std::nullopt;
            return error{errc::stopped, where,
                         "the app stopped while the publish waited for room: " + full,
                         "the message was not taken; publish it again after the start"};
        case publish_status::failed:
            break;
        default:
            return std::nullopt;
    }
    if (to.limit->full == when_full::fails) {
        return error{errc::publish, where, full,
                     "publish again later, declare a larger limit, or let publishes wait "
                     "(when_full::waits)"};
    }
    return error{errc::publish, where,
                 full +
                     ", and nobody would make room while this publish waited: no app runs that "
                     "is not driven by hand",
                 "let what is there be handled first, or declare a larger limit"};
}

}  // namespace waybill::memory
