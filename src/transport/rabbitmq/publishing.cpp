#include "transport/rabbitmq/publishing.hpp"

#include "time/growing_pause.hpp"
#include "transport/rabbitmq/topology.hpp"
#include "transport/rabbitmq/waits.hpp"
#include "wiring/explained_ticket.hpp"
#include <waybill/clock.hpp>
#include <waybill/outcome.hpp>

#include <utility>

namespace waybill::rabbitmq {

using detail::publish_status;

void explain_to(detail::publish_ticket* ticket, error why) {
    auto* const asks = dynamic_cast<wiring::explained_ticket*>(ticket);
    if (asks != nullptr) asks->explain(std::move(why));
}

namespace {

constexpr channel_id declaring = 1;
constexpr channel_id publishes = 2;
/// What a spare one keeps of its memory.
constexpr std::size_t most_kept = std::size_t{64} * 1024;

/// How a publish ends for which the server closed the channel.
publish_status status_for(std::uint16_t code) noexcept {
    switch (code) {
        case 403:  // no right to it
        case 406:  // too large, or of another user
            return publish_status::refused;
        case 404:
            return publish_status::unroutable;
        default:
            return publish_status::failed;
    }
}

}  // namespace

publishing::publishing(std::shared_ptr<const broker::data> about, detail::transport_host& host,
                       std::string broker)
    : about_{std::move(about)},
      host_{host},
      time_{host.time()},
      broker_{std::move(broker)},
      window_{about_->window} {}

publishing::~publishing() {
    end_all();
    while (spare_ != nullptr) delete std::exchange(spare_, spare_->next);
}

// ---- any thread --------------------------------------------------------------------------------

publish* publishing::spare() {
    {
        const std::lock_guard lock{mutex_};
        if (spare_ != nullptr) return std::exchange(spare_, spare_->next);
    }
    return new publish;
}

bool publishing::submit(publish& what) {
    const std::lock_guard lock{mutex_};
    if (has_ended_) return false;
    what.next = nullptr;
    what.is_returned = false;
    what.is_suspect = false;
    what.likeness = 0;
    what.why.clear();
    what.has_ended = false;
    *last_ = &what;
    last_ = &what.next;
    has_work_ = true;
    return true;
}

bool publishing::withdraw(publish& what) {
    if (!window_.withdraw(what)) {
        const std::lock_guard lock{mutex_};
        auto** at = &first_;
        while (*at != nullptr && *at != &what) at = &(*at)->next;
        if (*at == nullptr) return false;
        *at = what.next;
        if (last_ == &what.next) last_ = at;
    }
    give_back(what);
    return true;
}

std::string publishing::trouble() const {
    const std::lock_guard lock{mutex_};
    if (blocked_.empty()) return not_declared_;
    return "the server takes no publishes now (" + blocked_ + "); they wait";
}

void publishing::give_back(publish& used) {
    if (used.bytes.capacity() > most_kept) used.bytes = {};
    const std::lock_guard lock{mutex_};
    used.next = spare_;
    spare_ = &used;
}

// ---- the connection's thread -------------------------------------------------------------------

wire::answer<void> publishing::open_publishing(wire& on) {
    if (auto done = on.open_channel(publishes); !done) return done;
    auto done = on.select_confirms(publishes);
    is_channel_open_ = done.has_value();
    return done;
}

std::expected<void, error> publishing::opened(wire& on) {
    waits_.clear();
    is_blocked_ = false;
    was_declaring_ = false;
    {
        const std::lock_guard lock{mutex_};
        blocked_.clear();
    }
    auto ready = on.open_channel(declaring);
    if (ready) ready = open_publishing(on);
    if (!ready) return std::unexpected(explain_refusal(ready.error(), "the connection"));
    undeclared_ = declarations_of(*about_, declared_by::publishing);
    if (!std::exchange(was_open_, true)) {
        return declare_all(on, declaring, std::exchange(undeclared_, {}));
    }
    for (const auto& each : dead_letters_) {
        const auto ensures = [this, each](wire& to, channel_id) { return ensure(to, each); };
        auto name =
            each.where.is_queue() ? "queue " + each.where.key : "exchange " + each.where.exchange;
        undeclared_.push_back({nullptr, true, name + ", of a dead letter", ensures});
    }
    declaring_tries_ = 0;
    return declare_again(on);
}

/// A refusal is no reason to publish nothing: it is tried again, and what is done is left alone.
std::expected<void, error> publishing::declare_again(wire& on) {
    const auto now = time_->now();
    auto refusals = declare_most(on, declaring, undeclared_, harmful_, now);
    if (!refusals) {
        was_declaring_ = true;
        return std::unexpected(std::move(refusals.error()));
    }
    if (!refusals->words.empty()) {
        const auto tries = declaring_tries_++;
        const auto pause =
            refusals->tries ? pause_before_repeat(tries) : harmful_.again_after(now) - now;
        next_declaring_ = now + pause;
        host_.warn("not_declared", broker_, refusals->words + "; again in " + to_text(pause));
    } else if (declaring_tries_ != 0) {
        host_.tell("declared", broker_, "everything is there again");
    }
    const std::lock_guard lock{mutex_};
    not_declared_ = std::move(refusals->words);
    return {};
}

/// While the server blocks the connection it would answer nothing.
std::optional<std::chrono::nanoseconds> publishing::due() const {
    if (undeclared_.empty() || is_blocked_) return std::nullopt;
    return next_declaring_;
}

std::expected<void, error> publishing::keep_dead_letter(wire& on, const target& where,
                                                        queue_type kind) {
    dead_letter added{where, kind};
    if (auto done = ensure(on, added); !done) return done;
    dead_letters_.push_back(std::move(added));
    return {};
}

/// A queue that is not there is made; an exchange must be.
std::expected<void, error> publishing::ensure(wire& on, const dead_letter& each) {
    if (!each.where.is_queue()) {
        exchange_spec known;
        known.name = each.where.exchange;
        if (const auto there = on.declare(declaring, known, true); !there) {
            if (!is_gone(there.error())) (void)on.open_channel(declaring);
            return std::unexpected(
                explain_refusal(there.error(), "exchange " + known.name + ", of a dead letter"));
        }
        return {};
    }
    if (about_->queue_named(each.where.key) != nullptr) return {};  // declared with the rest
    queue_spec wanted;
    wanted.name = each.where.key;
    const auto there = on.declare(declaring, wanted, true);
    if (there) return {};
    if (!is_gone(there.error())) (void)on.open_channel(declaring);
    auto made = there;
    if (there.error().code == 404) {
        wanted.arguments.append("x-queue-type", name_of(each.kind));
        made = on.declare(declaring, wanted, false);
        if (made) return {};
        if (!is_gone(made.error())) (void)on.open_channel(declaring);
    }
    return std::unexpected(
        explain_refusal(made.error(), "queue " + wanted.name + ", of a dead letter"));
}

void publishing::lost(const refusal& why) {
    const auto before = ended_.size();
    const bool was_declaring = std::exchange(was_declaring_, false);
    if (!is_for_a_fault(why)) {
        window_.connection_lost();
    } else if (was_declaring) {
        window_.connection_ended_for_another();
    } else {
        window_.connection_ended(ended_);
    }
    if (ended_.size() != before) {
        const auto said =
            "the server ended the connection: " + std::to_string(why.code) + ' ' + why.text;
        host_.warn("publish_refused", broker_, said);
        say_why(before, said);
    }
    is_channel_open_ = false;
    {
        // Who has no connection is not blocked; the next one is told anew.
        const std::lock_guard lock{mutex_};
        blocked_.clear();
    }
    tell();
}

void publishing::work(wire& on) {
    publish* all = nullptr;
    {
        const std::lock_guard lock{mutex_};
        has_work_ = false;
        all = std::exchange(first_, nullptr);
        last_ = &first_;
    }
    while (all != nullptr) window_.submit(*std::exchange(all, all->next));
    if (is_blocked_) return;
    // On a connection that has fallen already, what is declared would be blamed for it.
    const auto again = due();
    if (again && *again <= time_->now() && (!on.flush() || !declare_again(on))) return;
    if (!is_channel_open_ && !open_publishing(on)) return;
    auto* next = window_.next();
    while (next != nullptr && send(on, *next)) next = window_.next();
    tell();
}

/// False: the connection fell. It stays in the window, and is sent over the next one, unless it is
/// known that the connection ended for its waiting queue.
bool publishing::send(wire& on, publish& what) {
    if (what.waits > what.waits.zero()) {
        if (const auto there = prepare_wait(on, what); !there)
            return unprepared(what, there.error());
    }
    if (auto sent = on.publish(publishes, what.view()); !sent) refused(what, sent.error());
    return true;
}

/// It has not been sent, and is to blame for nothing. Where others are in flight, one of them may
/// have ended the connection: then each is sent alone, and so is this one.
bool publishing::unprepared(publish& what, const refusal& why) {
    const bool has_fallen = is_gone(why);
    was_declaring_ = has_fallen && is_for_a_fault(why);
    if (has_fallen && !(was_declaring_ && window_.in_flight() == 1)) return false;
    no_waiting_queue(what, why);
    window_.take_back_last();
    ended_.push_back({&what, publish_status::failed});
    return !has_fallen;
}

/// The protocol cannot hold it, whatever the server says.
void publishing::refused(publish& what, const error& why) {
    window_.take_back_last();
    what.why = why.message();
    ended_.push_back({&what, publish_status::refused});
}

/// To those that have ended since.
void publishing::say_why(std::size_t from, const std::string& why) {
    for (auto at = from; at < ended_.size(); ++at) ended_[at].of->why = why;
}

/// The queue that a copy waits in is there, and will be until it has waited.
wire::answer<void> publishing::prepare_wait(wire& on, const publish& what) {
    const auto name = what.view().key;
    const auto now = time_->now();
    const auto known = waits_.find(name);
    if (known != waits_.end() && now - known->second < what.waits) return {};
    const auto& vhost = about_->connection->vhost;
    const auto made =
        on.declare(declaring, waiting_queue(what.waits, what.kind, vhost, what.back_to), false);
    if (made) {
        waits_.insert_or_assign(std::string{name}, now);
        return {};
    }
    if (!is_gone(made.error())) (void)on.open_channel(declaring);
    return std::unexpected(made.error());
}

void publishing::no_waiting_queue(const publish& of, const refusal& said) {
    auto why = explain_refusal(said, "queue " + std::string{of.view().key});
    if (said.code == 403) {
        why.fix =
            "give the user the right to configure waybill\\.wait\\.v1\\..*, or say "
            "delays(rabbitmq::waits::in_memory)";
    }
    host_.warn("no_waiting_queue", broker_, why.message());
}

void publishing::was_read() { tell(); }

/// Outside of the window, as a ticket may publish again at once.
void publishing::tell() {
    for (std::size_t at = 0; at < ended_.size(); ++at) {
        const auto [of, how] = ended_[at];
        auto* const ticket = of->ticket;
        if (how == publish_status::refused && !of->why.empty()) {
            explain_to(ticket,
                       {errc::refused, "", std::move(of->why),
                        "look at its size, its names (255 bytes at most) and the user's rights"});
        }
        give_back(*of);
        if (ticket != nullptr) ticket->published(how);
    }
    ended_.clear();
}

void publishing::returned(const returned_message& what) {
    if (what.exchange.empty()) {
        const auto gone = waits_.find(what.key);
        if (gone != waits_.end()) waits_.erase(gone);
    }
    window_.returned(what);
}

void publishing::confirmed(channel_id, std::uint64_t tag, bool multiple, bool taken) {
    window_.confirmed(tag, multiple, taken, ended_);
    has_work_ = has_work_ || window_.waiting() != 0;
}

void publishing::channel_closed(channel_id channel, const refusal& why) {
    if (channel != publishes) return;
    is_channel_open_ = false;
    has_work_ = true;
    const auto before = ended_.size();
    window_.channel_closed(status_for(why.code), ended_);
    say_why(before, why.text);
    host_.warn("publish_refused", broker_, "the server closed the channel: " + why.text);
}

void publishing::blocked(std::string_view reason) {
    is_blocked_ = !reason.empty();
    has_work_ = true;
    const std::lock_guard lock{mutex_};
    blocked_ = reason;
}

void publishing::end_all() {
    publish* all = nullptr;
    {
        const std::lock_guard lock{mutex_};
        has_ended_ = true;
        all = std::exchange(first_, nullptr);
        last_ = &first_;
    }
    while (all != nullptr) window_.submit(*std::exchange(all, all->next));
    window_.end_all(publish_status::lost, ended_);
    tell();
}

}  // namespace waybill::rabbitmq
