#include "scenario/witness.hpp"

#include "scenario/tag.hpp"
#include "settle/count.hpp"
#include "time/saturating.hpp"

#include <algorithm>
#include <ranges>

namespace waybill::scenario {

using detail::publish_status;
using detail::settle_kind;

namespace {

/// Where a copy is that a stop should have passed on, and did not.
constexpr std::string_view lost_at_stop = "the memory of a process that has stopped";

/// What tells a copy that waits from others. A stop writes the time on what it passes on.
std::string bytes_of_copy(const outgoing_view& message) {
    auto with = headers::copy_of(message.packed_headers);
    with.remove(name_of(known_header::due));
    const auto text = [](std::span<const std::byte> part) {
        return std::string_view{reinterpret_cast<const char*>(part.data()), part.size()};
    };
    auto all = std::string{message.address} + '\0';
    all += text(with.packed());
    all += text(message.payload);
    return all;
}

/// Else a dead letter.
bool is_retry_copy(const outgoing_view& copy) {
    return headers::borrow(copy.packed_headers).find(known_header::retry_source).has_value();
}

/// A copy whose count every reader goes on with.
bool is_for_anybody(const outgoing_view& message) {
    return headers::borrow(message.packed_headers).text(name_of(known_header::retry_source)) == "*";
}

}  // namespace

witness::witness(const scenario& told, world& server, trace& into,
                 std::shared_ptr<const clock> time)
    : told_{told},
      server_{server},
      trace_{into},
      time_{std::move(time)},
      law_{told, server.returns_in_place()} {
    server_.watch_removals(leaving());
    server_.watch_moves([this](const world::movement& one) { moved(one); });
}

world::visitor witness::leaving() {
    return [this](const std::string& queue, auto packed) {
        if (const auto id = tag::of(packed, server_.run())) went(queue, *id);
    };
}

void witness::went(std::string_view queue, std::uint64_t id) {
    if (is_shaken_ && books_.copies(queue, id) <= 0) return;
    books_.went(queue, id);
}

bool witness::is_idle() const { return kept_.empty() && hand_.empty(); }

bool witness::has_done_all() const {
    return std::ranges::all_of(readers_,
                               [&](const reader& each) { return books_.is_empty(each.queue); });
}

/// Nobody knows the count of what a server moves by itself.
void witness::moved(const world::movement& one) {
    const auto id = tag::of(one.packed_headers, server_.run());
    if (!id) return;
    if (!one.is_settled) books_.went(one.from, *id);
    books_.came(one.to, *id);
    law_.doubled(*id);
}

// ---- processes ---------------------------------------------------------------------------------

void witness::process_began() {
    is_dead_ = false;
    is_dying_ = false;
    readers_.clear();
}

void witness::process_stopped() {
    for (const auto& [number, each] : kept_) {
        books_.went(in_the_process, each.id);
        // What the server does not take at the stop is what `kill_loses` speaks of.
        if (each.refused_at != time_->now()) books_.came(lost_at_stop, each.id);
    }
    forget_all_kept();
    process_died();
}

void witness::process_died() {
    fell();
    is_dead_ = true;
    hand_.clear();
    by_payload_.clear();
    staged_.clear();
    intent_.reset();
}

void witness::killed(bool loses_everything) {
    process_died();
    forget_all_kept();
    books_.write_off(in_the_process);
    if (loses_everything) books_.write_off_all();
}

void witness::fell() {
    for (auto& one : hand_ | std::views::values) {
        if (std::exchange(one.is_stale, true)) continue;
        law_.fell(one);
    }
}

// ---- from outside ------------------------------------------------------------------------------

std::expected<void, error> witness::publish(const outgoing_view& message) {
    const auto id = books_.publish(message.address, message.payload);
    const auto reached = server_.reached_by(message);
    const auto tagged = tag::onto(message.packed_headers, server_.run(), id);
    auto sent = message;
    sent.packed_headers = tagged;
    auto taken = server_.publish(sent);
    if (taken) {
        for (const auto& queue : reached) books_.came(queue, id);
        of_steps_.insert(id);
    }
    trace_.published(message, published_why::step, taken.has_value());
    return taken;
}

void witness::remove(std::string_view address) { server_.remove(address, leaving()); }

void witness::fail_publishes(std::string_view address, std::uint64_t times) {
    failing_[std::string{address}] += times;
}

bool witness::is_failing(std::string_view address) {
    const auto planned = failing_.find(address);
    if (planned == failing_.end()) return false;
    if (--planned->second == 0) failing_.erase(planned);
    return true;
}

// ---- readers -----------------------------------------------------------------------------------

void witness::reads(std::size_t subscription, const source& from, std::string_view identity) {
    readers_.resize(std::max(readers_.size(), subscription + 1));
    readers_[subscription] = {from, std::string{identity}, server_.queue_of(from, identity)};
}

bool witness::is_foreign(const detail::received& message, const reader& by) const {
    const auto with = headers::borrow(message.packed_headers);
    const auto value = with.find(known_header::retry_source);
    if (!value) return false;
    const auto from = value->text().value_or("");
    if (from == "*" || from == by.identity) return false;
    const auto& formerly = told_.subscriptions[&by - readers_.data()].declared.formerly;
    return std::ranges::find(formerly, from) == formerly.end();
}

void witness::took(std::size_t subscription, detail::received& message,
                   std::vector<std::byte>& room) {
    in_hand one;
    one.subscription = subscription;
    one.id = tag::of(message.packed_headers, server_.run()).value_or(0);
    message.packed_headers = tag::without(message.packed_headers, room);
    const auto& by = readers_[subscription];
    one.queue = by.queue;
    one.payload = message.payload.data();
    one.is_foreign = is_foreign(message, by);
    one.is_ordered = of_steps_.contains(one.id);
    one.is_redelivered = message.redelivered;
    one.counted = message.counted;
    const auto past = settle::read_history(message.packed_headers, {});
    one.expires_at_ms = past.expires_at_ms != 0 ? past.expires_at_ms : message.expires_at_ms;
    one.brings_count = past.carried != 0;
    one.is_early = std::chrono::milliseconds{past.due_ms} > time_->wall();
    if (one.id == 0) invented_.push_back("a delivery from " + one.queue + " that nobody published");
    // A copy of it was done with, and the server had not heard of it.
    if (is_shaken_ && books_.copies(one.queue, one.id) <= 0) law_.doubled(one.id);
    one.taken = ++last_taken_;
    by_payload_[one.payload] = message.token;
    hand_[message.token] = std::move(one);
}

/// What is still in hand goes back with the connection, without a word of the service's.
void witness::closes() {
    if (is_dead_) return;
    std::vector<in_hand*> given_back;
    for (auto& one : hand_ | std::views::values) {
        if (!one.is_stale) given_back.push_back(&one);
    }
    std::ranges::sort(given_back, {}, &in_hand::taken);
    for (auto* one : given_back) {
        law_.settled(*one, settle_kind::release, time_->now());
        trace_.settled(declared(*one).name, one->attempt, settle_kind::release);
        one->is_stale = true;
    }
}

void witness::forget(void* token) {
    const auto found = hand_.find(token);
    if (found == hand_.end()) return;
    const auto at = by_payload_.find(found->second.payload);
    if (at != by_payload_.end() && at->second == token) by_payload_.erase(at);
    staged_.erase(token);
    hand_.erase(found);
}

in_hand* witness::hand_of(const delivery& message) {
    const auto at = by_payload_.find(message.payload().data());
    if (at == by_payload_.end()) return nullptr;
    const auto found = hand_.find(at->second);
    return found != hand_.end() ? &found->second : nullptr;
}

void witness::passed(const detail::settle_op& operation, bool is_stale) {
    const auto found = hand_.find(operation.token);
    if (is_dead_ || found == hand_.end()) return;
    auto& one = found->second;
    // Live, this may be heard before the runner knows that the connection fell.
    if (is_stale && !std::exchange(one.is_stale, true)) law_.fell(one);
    if (!is_stale && operation.kind != settle_kind::nothing) {
        if (one.kept != 0 && operation.kind == settle_kind::release) take_back_kept(one);
        law_.settled(one, operation.kind, server_.is_live() ? one.answered_at : time_->now());
        const bool ends =
            operation.kind == settle_kind::accept || operation.kind == settle_kind::reject;
        if (ends) went(one.queue, one.id);
        if (operation.kind == settle_kind::leave) return;
    }
    forget(operation.token);
}

// ---- what is published -------------------------------------------------------------------------

void witness::sending(settle::publish_reason why, const delivery& of) {
    const auto at = by_payload_.find(of.payload().data());
    intent_ = {why, at != by_payload_.end() ? at->second : nullptr};
    if (auto* one = hand_of(of)) one->is_moving = true;
}

void witness::keeping(const delivery& of, const outgoing_view& copy) {
    auto* one = hand_of(of);
    if (is_dead_ || one == nullptr) return;
    one->kept = ++last_kept_;
    auto bytes = bytes_of_copy(copy);
    kept_alike_[bytes].insert(one->kept);
    const bool is_hop = one->answer == in_hand::said::nothing && !one->is_exceeded;
    kept_.emplace(one->kept, kept_copy{one->id, one->queue, std::move(bytes), is_hop});
    books_.came(in_the_process, one->id);
    if (is_hop || is_retry_copy(copy)) return;
    one->is_dead = true;
    law_.dead_letter(*one);
}

/// The process had stopped keeping copies.
void witness::take_back_kept(const in_hand& one) {
    if (!kept_.contains(one.kept)) return;
    forget_kept(one.kept);
    books_.went(in_the_process, one.id);
}

void witness::forget_all_kept() {
    kept_.clear();
    kept_alike_.clear();
}

void witness::forget_kept(std::uint64_t number) {
    const auto found = kept_.find(number);
    const auto alike = kept_alike_.find(found->second.bytes);
    alike->second.erase(number);
    if (alike->second.empty()) kept_alike_.erase(alike);
    kept_.erase(found);
}

/// Copies with the same bytes may stand for each other: nobody could tell them apart. Of these it
/// is one that was not just tried.
std::uint64_t witness::kept_for(const outgoing_view& message) {
    const auto found = kept_alike_.find(bytes_of_copy(message));
    if (found == kept_alike_.end()) return 0;
    for (const auto number : found->second) {
        if (kept_.at(number).refused_at != time_->now()) return number;
    }
    return *found->second.begin();
}

observer::sent witness::sending_now(const outgoing_view& message, std::string via) {
    sent made;
    made.via = std::move(via);
    made.fails = is_failing(message.address);
    made.reaches = server_.reached_by(message);
    const auto meant = std::exchange(intent_, std::nullopt);
    if (!meant) {
        made.why = is_retry_copy(message) ? published_why::retry : published_why::dead_letter;
        made.kept = kept_for(message);
        if (made.kept != 0) {
            const auto& kept = kept_.at(made.kept);
            made.id = kept.id;
            made.from = kept.from;
            if (kept.is_hop) made.why = published_why::hop;
        } else {
            invented_.push_back("a copy for " + std::string{message.address} +
                                " that waited nowhere");
        }
    } else if (meant->why == settle::publish_reason::staged) {
        auto& staged = staged_[meant->token];
        made.why = staged.empty() ? published_why::handler : staged.front();
        if (!staged.empty()) staged.pop_front();
        made.id = books_.publish(message.address, message.payload);
    } else {
        const bool is_hop = meant->why == settle::publish_reason::hop;
        const bool is_copy = is_hop || meant->why == settle::publish_reason::retry;
        const auto found = hand_.find(meant->token);
        made.token = meant->token;
        made.why = is_hop    ? published_why::hop
                   : is_copy ? published_why::retry
                             : published_why::dead_letter;
        if (!is_copy) {
            made.id = books_.publish(message.address, message.payload);
        } else if (found != hand_.end()) {
            made.id = found->second.id;
            made.from = found->second.queue;
        }
    }
    made.tagged = tag::onto(message.packed_headers, server_.run(), made.id);
    return made;
}

void witness::sending_ended(const sent& one, const outgoing_view& message, publish_status status) {
    const bool is_taken = status == publish_status::confirmed;
    if (is_taken) {
        confirmed(one, message);
    } else if (const auto kept = kept_.find(one.kept); kept != kept_.end()) {
        kept->second.refused_at = time_->now();
    }
    if (!is_dead_) trace_.published(message, one.why, is_taken, one.via);
}

/// Every reader that gets it goes on with its count.
void witness::copied(const sent& one, const outgoing_view& message) {
    if (!is_for_anybody(message)) return;
    if (one.reaches.size() > 1) law_.doubled(one.id);
    if (std::ranges::find(one.reaches, one.from) == one.reaches.end()) {
        law_.copied_elsewhere(one.id, one.from);
    }
}

void witness::confirmed(const sent& one, const outgoing_view& message) {
    for (const auto& queue : one.reaches) books_.came(queue, one.id);
    // None any more where the process died while its publish was under way.
    if (kept_.contains(one.kept)) {
        forget_kept(one.kept);
        books_.went(in_the_process, one.id);
    }
    if (one.why == published_why::hop && !is_retry_copy(message) && one.reaches.size() > 1) {
        invented_.push_back(books_.describe(one.id) + ", which waits on, for other readers too");
    }
    const bool is_hop = one.why == published_why::hop && one.token != nullptr;
    const bool is_copy = one.why == published_why::retry || is_hop;
    if (is_copy) copied(one, message);
    const auto found = hand_.find(one.token);
    if (found == hand_.end()) return;
    auto& of = found->second;
    if (one.why == published_why::dead_letter) {
        of.is_dead = true;
        law_.dead_letter(of);
    } else if (is_copy) {
        of.is_copied = true;
    }
}

// ---- what handlers answer ----------------------------------------------------------------------

std::size_t witness::next_run(const delivery& message) {
    auto* one = hand_of(message);
    if (one == nullptr) return 0;
    one->has_run = true;
    law_.ran(*one, time_->now());
    return runs_[{one->subscription, one->id}]++;
}

void witness::will_publish(const delivery& message, published_why why) {
    const auto at = by_payload_.find(message.payload().data());
    if (at != by_payload_.end()) staged_[at->second].push_back(why);
}

void witness::show(in_hand& one, std::string_view subscription, const delivery& message) {
    one.attempt = message.attempt();
    if (std::exchange(one.was_shown, true)) return;
    trace_.delivered(subscription, message);
}

void witness::delivered(std::string_view subscription, const delivery& message) {
    auto* one = hand_of(message);
    if (!is_dead_ && one != nullptr) show(*one, subscription, message);
}

void witness::exceeded(std::string_view subscription, const delivery& message) {
    auto* one = hand_of(message);
    if (is_dead_ || one == nullptr) return;
    one->attempt = message.attempt();
    one->is_exceeded = true;
    law_.exceeded(*one);
    trace_.exceeded(subscription, message);
}

in_hand::said witness::policy_of(const in_hand& one, outcome answer, std::string_view error) const {
    const auto& how = declared(one);
    if (!error.empty()) {
        const auto policy = one.has_run ? how.on_exception : how.undecodable();
        if (policy.is_dead_letter()) return in_hand::said::dead_letter;
    }
    switch (answer.kind()) {
        case outcome_kind::ack:
            return in_hand::said::ack;
        case outcome_kind::drop:
            return in_hand::said::drop;
        case outcome_kind::retry:
        case outcome_kind::retry_after:
            break;
    }
    return in_hand::said::again;
}

void witness::answered(std::string_view subscription, const delivery& message, outcome answer,
                       std::string_view error) {
    auto* one = hand_of(message);
    if (is_dead_ || one == nullptr) return;
    one->attempt = message.attempt();
    one->answer = policy_of(*one, answer, error);
    one->delay = answer.delay();
    one->answered_at = time_->now();
    if (one->delay <= nanoseconds{0} && one->answer == in_hand::said::again) {
        one->delay = declared(*one).retry_delay.after(one->attempt);
    }
    const auto left = std::chrono::milliseconds{one->expires_at_ms} - time_->wall();
    one->is_expiring = one->expires_at_ms != 0 && one->delay >= saturating_nanoseconds(left);
    // Copies of other readers may be acked unseen; what cannot be decoded was delivered all the
    // same.
    if (!one->was_shown && error.empty()) return;
    show(*one, subscription, message);
    const bool is_dead_letter = one->answer == in_hand::said::dead_letter;
    trace_.answered(subscription, one->attempt,
                    is_dead_letter ? "dead_letter" : to_string(answer.kind()),
                    is_dead_letter ? nanoseconds{0} : answer.delay(), error);
}

void witness::settled(std::string_view subscription, std::uint32_t attempt, settle_kind kind) {
    if (!is_dead_) trace_.settled(subscription, attempt, kind);
}

// ---- the end -----------------------------------------------------------------------------------

counts witness::unsettled() const {
    counts all;
    for (const auto& one : hand_ | std::views::values) {
        if (!one.is_stale && !one.is_held()) ++all[declared(one).name];
    }
    return all;
}

std::uint64_t witness::held() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(hand_ | std::views::values, &in_hand::is_held));
}

void witness::still_waiting(std::size_t in_process) {
    for (; in_process != 0 && !kept_.empty(); --in_process) {
        books_.went(in_the_process, kept_.begin()->second.id);
        forget_kept(kept_.begin()->first);
    }
    if (in_process != 0) invented_.emplace_back("copies that wait in the process");
}

witness::verdict witness::close() {
    verdict made;
    const auto drain = [&] {
        server_.drain([&](const std::string& queue, auto packed) {
            if (const auto id = tag::of(packed, server_.run())) return went(queue, *id);
            if (tag::is_of_another(packed, server_.run())) return void(++made.of_others);
            invented_.push_back("a message in " + queue + " that nobody published");
        });
    };
    const auto is_missing = [this] {
        return std::ranges::any_of(books_.balance(), &ledger::imbalance::is_lost);
    };
    drain();
    // A real server takes its time to put back what a dead process had in hand.
    for (int left = 25; server_.is_live() && left != 0 && is_missing(); --left) drain();
    made.invented = invented_;
    for (auto& each : books_.balance()) {
        (each.is_lost ? made.lost : made.invented).push_back(std::move(each.message));
    }
    made.broken = law_.broken();
    return made;
}

}  // namespace waybill::scenario
