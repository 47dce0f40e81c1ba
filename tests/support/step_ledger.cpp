#include "step_ledger.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>

namespace support {

using waybill::headers;
using waybill::known_header;
using waybill::detail::publish_status;
using waybill::detail::settle_kind;

namespace {

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string text_in(const headers& with, known_header known) {
    const auto value = with.find(known);
    return value ? value->to_string() : std::string{};
}

/// What is staged carries no header, but the number of its delivery in its payload: {"id":7}.
std::uint64_t id_in_payload(std::span<const std::byte> payload) {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    const auto at = text.find(':');
    return at == text.npos ? 0 : number_in(text.substr(at + 1));
}

}  // namespace

std::uint64_t id_in(const headers& with) {
    const auto value = with.find("x-id");
    return value ? value->unsigned_integer().value_or(0) : 0;
}

// ---- who is meant ------------------------------------------------------------------------------

step_ledger::in_hand* step_ledger::by_payload(const std::byte* payload) {
    for (auto& one : hand_ | std::views::values) {
        if (one.payload == payload) return &one;
    }
    return nullptr;
}

/// Of an original and its copy that are both in hand: the copy, as the original is done with.
step_ledger::in_hand* step_ledger::by_id(std::uint64_t id) {
    in_hand* found = nullptr;
    for (auto& one : hand_ | std::views::values) {
        if (one.id != id || one.is_stale) continue;
        if (found == nullptr || found->is_moved) found = &one;
    }
    return found;
}

/// Null for what comes from the runtime's own store of delays: its original is settled.
step_ledger::in_hand* step_ledger::behind(sent_kind kind, const waybill::outgoing_view& message) {
    if (kind == sent_kind::staged) return by_id(id_in_payload(message.payload));
    return by_payload(message.payload.data());
}

// ---- what crosses the contract -----------------------------------------------------------------

void step_ledger::took(std::span<const waybill::detail::received> batch) {
    const auto in_hand_now = static_cast<std::size_t>(
        std::ranges::count_if(hand_ | std::views::values, [this](const auto& one) {
            // What waits for a time, for itself or for a publish to be repeated, is passed over.
            const bool is_held = one.answer.what == said::kind::again && !one.is_moved;
            const bool is_early = !one.has_run && one.due_ms > time_->wall().count();
            return !one.is_stale && !one.is_repeating && !is_held && !is_early;
        }));
    const auto& first = batch.front();
    const bool is_careful = generation_ != first.generation;
    if (is_careful && in_hand_now + batch.size() > 1) {
        problem(std::to_string(in_hand_now + batch.size()) +
                " are in hand though nothing new has come since the start or the reconnect");
    }
    for (const auto& each : batch) take_in(each);
    // No story comes near a server's limit, so a copy is new like any other message.
    const bool is_new = first.counted == 0 && !first.redelivered;
    if (is_careful && is_new) generation_ = first.generation;
}

void step_ledger::take_in(const waybill::detail::received& from) {
    const auto with = headers::borrow(from.packed_headers);
    in_hand one;
    one.id = id_in(with);
    one.generation = from.generation;
    one.payload = from.payload.data();
    one.root = text_in(with, known_header::id);
    one.due_ms = static_cast<std::int64_t>(number_in(text_in(with, known_header::due)));
    auto& about = messages_[one.id];
    const auto carried = number_in(text_in(with, known_header::retry_count));
    const auto spent = static_cast<std::uint32_t>(carried) + from.counted;
    if (spent > about.charged && spent <= about.charged + about.may_be_charged) {
        about.charged = spent;
    }
    about.may_be_charged = 0;
    one.carried = static_cast<std::uint32_t>(carried);
    one.attempt = about.charged + 1;
    // Which of its doubles this is, only its own counts tell.
    if (about.doubles != 0) {
        one.attempt =
            static_cast<std::uint32_t>(carried) + (counts_failures() ? from.counted : 0) + 1;
    }
    const auto id = one.id;
    if (!hand_.emplace(from.token, std::move(one)).second) {
        problem(id, "was handed out under a token that is still in hand");
    }
}

void step_ledger::taken(sent_kind kind, const waybill::outgoing_view& message) {
    const auto with = headers::borrow(message.packed_headers);
    auto* from = behind(kind, message);
    if (kind == sent_kind::staged) {
        const auto id = id_in_payload(message.payload);
        if (from == nullptr) return problem(id, "had something staged published while stale");
        ++from->staged_taken;
        return;
    }
    const auto id = id_in(with);
    if (id == 0) return problem("a copy lost its headers");
    if (from != nullptr && from->is_stale) problem(id, "was copied though it was stale");
    auto& about = messages_[id];
    if (kind == sent_kind::copy) {
        check_copy(with, from, id);
        const bool has_dead_letter = cap_ != 0;
        if (from == nullptr && has_dead_letter && !about.refused.empty() && about.doubles == 0) {
            problem(id, "was published again as the copy that was refused for good");
        }
        about.charged =
            static_cast<std::uint32_t>(number_in(text_in(with, known_header::retry_count)));
        if (from != nullptr) about.not_before = time_->now() + from->answer.delay;
    } else if (from == nullptr) {
        if (about.refused.empty()) {
            return problem(id, "was dead-lettered when it was not in hand");
        }
        about.record_was_refused = true;
    } else if (!from->was_refused) {
        check_dead_letter(with, *from);
    } else {
        about.record_was_refused = true;
    }
    auto& sent = from != nullptr ? from->sent : about.sent;
    const bool is_repeat =
        from != nullptr ? from->is_moved : std::exchange(about.repeats, false) && about.waits == 1;
    if (is_repeat && !std::ranges::equal(sent, message.packed_headers)) {
        problem(id, "was published a second time with other headers than the first");
    }
    sent.assign(message.packed_headers.begin(), message.packed_headers.end());
    if (from != nullptr) {
        from->is_moved = true;
    } else {
        ++about.unconfirmed;
    }
}

void step_ledger::check_copy(const headers& with, const in_hand* from, std::uint64_t id) {
    const auto& about = messages_[id];
    const auto count = text_in(with, known_header::retry_count);
    const auto root = text_in(with, known_header::id);
    auto wanted = from != nullptr ? from->attempt : about.charged;
    // Near the server's own limit it is copied before its handler runs. What only passes through
    // on its way to a later time is nobody's attempt, though the connection fell with it in hand.
    if (from != nullptr && from->answer.what == said::kind::nothing) {
        wanted = from->due_ms > time_->wall().count() ? from->carried : wanted - 1;
    }
    if (count != std::to_string(wanted) && about.doubles == 0) {
        problem(id, "has a copy that carries " + count + ", not " + std::to_string(wanted));
    }
    if (text_in(with, known_header::copy) != root + '/' + count) {
        problem(id, "has a copy whose waybill-copy is not its waybill-id and its count");
    }
    const auto& first = about.known.root;
    if (root.empty() || (!first.empty() && root != first) ||
        (from != nullptr && !from->root.empty() && root != from->root)) {
        problem(id, "has a copy with another waybill-id than it had: " + root);
    }
    if (with.find(known_header::retry_source) == std::nullopt) {
        problem(id, "has a copy without waybill-retry-source");
    }
}

void step_ledger::check_dead_letter(const headers& with, const in_hand& from) {
    const auto reason = text_in(with, known_header::dead_reason);
    const auto count = text_in(with, known_header::retry_count);
    std::string wanted = "redelivered";
    auto attempts = from.attempt;
    if (from.answer.what == said::kind::unreadable) {
        wanted = "decode";
    } else if (from.answer.what == said::kind::again) {
        wanted = "attempts";
        if (attempts != cap_) problem(from.id, "was spent at attempt " + std::to_string(attempts));
    } else {
        --attempts;
        if (from.has_run || from.attempt <= cap_) {
            problem(from.id, "was dead-lettered without a reason");
        }
    }
    if (reason != wanted) problem(from.id, "died of " + reason + ", not of " + wanted);
    if (count != std::to_string(attempts) || text_in(with, known_header::dead_attempts) != count) {
        problem(from.id,
                "is a dead letter of " + count + " attempts, not " + std::to_string(attempts));
    }
}

void step_ledger::told(sent_kind kind, const waybill::outgoing_view& message,
                       publish_status status) {
    auto* from = behind(kind, message);
    const bool confirmed = status == publish_status::confirmed;
    if (from == nullptr && kind != sent_kind::staged)
        return told_the_process(kind, message, status);
    if (from == nullptr || from->is_stale) return;
    if (kind != sent_kind::staged) {
        from->is_confirmed = confirmed;
        from->is_repeating = !confirmed;
        from->was_refused = from->was_refused || status == publish_status::refused;
        if (!confirmed) doubled(*from);
    } else if (confirmed) {
        ++from->staged_confirmed;
    } else if (status == publish_status::lost) {
        from->staged_was_lost = true;
    } else {
        from->answer = {said::kind::again};
    }
}

/// How the publish of a copy ended that waited in the process's memory.
void step_ledger::told_the_process(sent_kind kind, const waybill::outgoing_view& message,
                                   publish_status status) {
    const bool confirmed = status == publish_status::confirmed;
    auto& about = messages_[id_in(headers::borrow(message.packed_headers))];
    std::vector<std::byte> copy{message.packed_headers.begin(), message.packed_headers.end()};
    // It goes in the place of the copy that was refused.
    if (kind == sent_kind::dead_letter) failing_.erase(about.refused);
    if (status == publish_status::refused) about.refused = copy;
    if (confirmed) {
        failing_.erase(copy);
        if (about.waits != 0) --about.waits;
    } else {
        failing_.insert(std::move(copy));
    }
    if (about.unconfirmed == 0) return;
    --about.unconfirmed;
    if (confirmed) return;
    about.repeats = true;
    ++about.doubles;
}

/// The server has both the copy and the original, or will have the copy twice.
void step_ledger::doubled(in_hand& one) {
    if (one.is_moved && !std::exchange(one.is_doubled, true)) ++messages_[one.id].doubles;
}

void step_ledger::settled(const waybill::detail::settle_op& operation, bool is_stale) {
    const auto found = hand_.find(operation.token);
    if (found == hand_.end()) return problem("a token was settled that is not in hand");
    auto one = std::move(found->second);
    hand_.erase(found);
    if (operation.generation != one.generation) problem(one.id, "lost its generation");
    if (is_stale || one.is_stale) return;
    auto& about = messages_[one.id];
    switch (operation.kind) {
        case settle_kind::accept:
            return check_accept(one);
        case settle_kind::requeue:
            if (one.answer.what != said::kind::again) problem(one.id, "was requeued unasked");
            if (one.is_repeating || one.is_moved) {
                problem(one.id, "was charged because its copy was not taken");
            }
            about.not_before = time_->now() + one.answer.delay;
            if (one.staged_taken != 0) about.notes_may_be_double = true;
            if (counts_failures()) {
                ++about.charged;
            } else {
                came_back(one);
            }
            return;
        case settle_kind::release:
            if (!is_stopping_ && !one.staged_was_lost && one.answer.what != said::kind::nothing) {
                problem(one.id, "was given back though it had its answer");
            }
            return came_back(one);
        case settle_kind::reject:
            if (one.answer.what != said::kind::drop || !can_.drop_is_rejected) {
                problem(one.id, "was rejected");
            }
            ++about.dropped;
            return;
        case settle_kind::leave:
            if (can_.requeue != waybill::detail::requeue_support::none) {
                problem(one.id, "was left unsettled");
            }
            return came_back(one);
        case settle_kind::nothing:
            return problem(one.id, "was thrown away as stale, which it is not");
    }
}

/// Settled positively: its answer, its copy or a wait in the process's memory must be the reason.
void step_ledger::check_accept(in_hand& one) {
    auto& about = messages_[one.id];
    if (one.is_moved) {
        if (one.staged_taken != 0) about.notes_may_be_double = true;
        if (!one.is_confirmed) problem(one.id, "was settled before its copy was confirmed");
        return;
    }
    if (one.answer.what == said::kind::ack) {
        if (one.staged_confirmed != one.answer.staged) {
            problem(one.id, "was acked before what it staged was confirmed");
        }
        ++about.acked;
        about.staged = one.answer.staged;
        return;
    }
    if (one.answer.what == said::kind::drop) {
        if (can_.drop_is_rejected) problem(one.id, "was accepted where a drop is a reject");
        ++about.dropped;
        return;
    }
    if (is_others(one)) {
        ++about.acked;
        return;
    }
    const bool came_early = !one.has_run && one.due_ms > time_->wall().count();
    const bool is_asked = one.answer.what == said::kind::again;
    if (can_.delays_copies || (!came_early && !is_asked)) {
        return problem(one.id, "was settled without an answer or a copy");
    }
    ++about.waits;
    if (!is_asked) return;
    about.charged = one.attempt;
    about.not_before = time_->now() + one.answer.delay;
}

void step_ledger::came_back(in_hand& one) {
    auto& about = messages_[one.id];
    about.came_back = true;
    // Where the process itself keeps what waits, the wait began with the answer.
    const bool waits = !can_.delays_copies && one.answer.delay > one.answer.delay.zero();
    if (waits) ++about.doubles;
    doubled(one);
    if (one.staged_taken != 0) about.notes_may_be_double = true;
}

void step_ledger::fell(bool killed) {
    for (auto& one : hand_ | std::views::values) {
        if (one.is_stale) continue;
        came_back(one);
        one.is_stale = true;
        if (can_.crash_is_counted && counts_failures()) ++messages_[one.id].charged;
    }
    // What the server had handed over and nobody had taken is charged like what was taken.
    for (auto& about : messages_ | std::views::values) {
        if (has_window_ && counts_failures()) ++about.may_be_charged;
    }
    if (!killed) return;
    is_killed_ = true;
    for (auto& about : messages_ | std::views::values) {
        if (std::exchange(about.waits, 0) != 0) about.is_excused = true;
        about.unconfirmed = 0;
    }
}

// ---- what handlers and codecs announce ---------------------------------------------------------

void step_ledger::decoded(const void* lane, const std::byte* payload, bool is_readable) {
    auto* one = by_payload(payload);
    if (one == nullptr) return problem("something was decoded that is not in hand");
    if (is_others(*one)) problem(one->id, "was decoded though another reader made it");
    if (!is_readable) one->answer = {said::kind::unreadable};
    if (!seen_.insert(one->id).second) return;
    auto& newest = newest_[lane];
    if (one->id < newest) problem(one->id, "came out of order");
    newest = one->id;
}

void step_ledger::ran(const std::byte* payload, std::uint32_t attempt) {
    ++runs_;
    auto* one = by_payload(payload);
    if (one == nullptr) return problem("a handler ran for something that is not in hand");
    auto& about = messages_[one->id];
    const auto number = "attempt " + std::to_string(attempt);
    if (cap_ != 0 && attempt > cap_) problem(one->id, "ran above its cap: " + number);
    if (is_others(*one)) problem(one->id, "ran though another reader made it");
    if (one->has_run) problem(one->id, "ran twice in one delivery");
    if (attempt != one->attempt) {
        problem(one->id, "ran as " + number + ", not " + std::to_string(one->attempt));
    }
    one->has_run = true;
    // It has come back already: what it says has no effect.
    if (one->is_stale) return;
    if (about.doubles == 0) {
        if (about.runs[attempt] != 0 && !about.came_back) {
            problem(one->id, "ran again as " + number + " without having come back");
        }
        if (time_->now() < about.not_before) problem(one->id, "came before its delay had passed");
    }
    ++about.runs[attempt];
    about.came_back = false;
    about.not_before = {};
}

void step_ledger::answered(const std::byte* payload, said answer) {
    if (auto* one = by_payload(payload)) one->answer = answer;
}

// ---- what the driver sees ----------------------------------------------------------------------

void step_ledger::rests(const waybill::health& now, std::size_t waiting_in_process) {
    bool repeats = !failing_.empty();
    bool repeated = repeats;
    for (const auto& one : hand_ | std::views::values) {
        repeats = repeats || (one.is_repeating && !one.is_stale);
        repeated = repeated || one.is_repeating;
    }
    const auto state = std::string{to_string(now.state)} + " (" + now.reason + ")";
    if (repeats && (now.state != waybill::health_state::degraded || now.reason.empty())) {
        problem("health is " + state + " while a publish is repeated");
    }
    if (!repeated && (now.state != waybill::health_state::running || !now.reason.empty())) {
        problem("health is " + state + " though nothing is wrong");
    }
    std::size_t waiting = 0;
    bool doubled = false;
    for (const auto& about : messages_ | std::views::values) {
        waiting += about.waits;
        doubled = doubled || about.doubles != 0;
    }
    if (waiting != waiting_in_process && !doubled) {
        problem(std::to_string(waiting_in_process) + " wait in the process, not " +
                std::to_string(waiting));
    }
}

/// Its settlement, or the confirmation of what was published for it, is still to come.
bool step_ledger::is_awaited(const in_hand& one) {
    if (one.is_moved) return !one.is_confirmed;
    if (one.answer.what == said::kind::ack) return one.staged_confirmed < one.answer.staged;
    return one.has_run && one.answer.what == said::kind::nothing;
}

void step_ledger::session_ended(bool at_limit) {
    for (auto& one : hand_ | std::views::values) {
        if (is_killed_ || (one.is_stale && at_limit)) continue;
        if (!at_limit || !is_awaited(one)) problem(one.id, "was never settled");
        came_back(one);
    }
    hand_.clear();
    newest_.clear();
    generation_.reset();
    failing_.clear();
    is_stopping_ = false;
    is_killed_ = false;
    for (const auto& [id, about] : messages_) {
        if (about.waits != 0) problem(id, "was left in the memory of a process that stopped");
    }
}

void step_ledger::found_staged(std::uint64_t id, std::uint64_t number) {
    auto& about = messages_[id];
    const bool is_exact = !about.notes_may_be_double && about.doubles == 0;
    if (is_exact && number != about.notes) problem(id, "left what it staged in another order");
    ++about.notes;
}

void step_ledger::found_dead(std::uint64_t id, const headers& with) {
    auto& about = messages_[id];
    ++about.dead;
    if (!about.record_was_refused && text_in(with, known_header::dead_reason).empty()) {
        problem(id, "is a dead letter without a reason");
    }
}

void step_ledger::close() {
    for (const auto& [id, about] : messages_) {
        const auto ends = about.acked + about.dropped + about.dead;
        if (ends == 0 && !about.is_excused) problem(id, "was lost");
        if (ends > about.doubles + 1) {
            problem(id, "ended " + std::to_string(ends) + " times");
        }
        const auto& right = about.known.ends == ending::acked     ? about.acked
                            : about.known.ends == ending::dropped ? about.dropped
                                                                  : about.dead;
        // What the server refuses for good goes to the dead letter.
        if (ends == 1 && right == 0 && about.doubles == 0 && !about.record_was_refused)
            problem(id, "ended in another way than it should have");
        const bool are_exact = !about.notes_may_be_double && about.doubles == 0;
        const bool are_wrong =
            are_exact ? about.notes != about.acked * about.staged : about.notes < about.staged;
        if (are_wrong) problem(id, "left " + std::to_string(about.notes) + " messages it staged");
    }
}

}  // namespace support
