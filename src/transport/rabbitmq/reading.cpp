#include "transport/rabbitmq/reading.hpp"

#include "time/growing_pause.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/streams.hpp"
#include "transport/rabbitmq/topology.hpp"
#include <waybill/clock.hpp>
#include <waybill/outcome.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace waybill::rabbitmq {

using std::chrono::nanoseconds;

namespace {

constexpr channel_id declaring = 1;
/// Of the first subscription; each further one has the next.
constexpr channel_id first_channel = 2;

}  // namespace

reading::reading(std::shared_ptr<const broker::data> about, detail::transport_host& host,
                 std::string broker)
    : about_{std::move(about)}, host_{host}, time_{host.time()}, broker_{std::move(broker)} {}

std::expected<void, error> reading::add(wire& on, const std::shared_ptr<reader>& made) {
    if (auto done = check(on, *made->facts().said); !done) return done;
    place added;
    added.at = made;
    if (auto done = open(on, added); !done) return done;
    const std::lock_guard lock{mutex_};
    places_.push_back(std::move(added));
    return {};
}

/// What the service declares itself is no stream.
std::expected<void, error> reading::check(wire& on, const queue::data& what) {
    if (what.there == presence::declared) return {};
    if (const auto done = on.open_channel(declaring); !done) {
        return std::unexpected(explain_refusal(done.error(), "the connection"));
    }
    auto checked = refuse_stream(on, declaring, what);
    (void)on.close_channel(declaring);
    return checked;
}

/// An error: the server refused it, and it alone.
std::expected<void, error> reading::open(wire& on, place& which) {
    std::expected<void, error> why;
    const auto done = which.at->open(on, why);
    if (!done) {
        return std::unexpected(explain_refusal(done.error(), "queue " + which.at->facts().name));
    }
    return why;
}

/// At the start nothing is here yet but what is this connection's own; after a reconnect nothing of
/// what is read may be there.
std::expected<void, error> reading::opened(wire& on) {
    const bool was_open = std::exchange(was_open_, true);
    auto own = declarations_of(*about_, declared_by::reading);
    if (places_.empty() && own.empty()) return {};
    if (const auto done = on.open_channel(declaring); !done) {
        return std::unexpected(explain_refusal(done.error(), "the connection"));
    }
    // The publishing connection says what is wrong with it, and tries again.
    std::vector<declaration> all;
    if (was_open) all = declarations_of(*about_, declared_by::publishing);
    std::ranges::move(own, std::back_inserter(all));
    if (!was_open) {
        if (auto done = declare_all(on, declaring, all); !done) return done;
    } else if (auto done = declare_most(on, declaring, all, harmful_, time_->now()); !done) {
        return std::unexpected(std::move(done.error()));
    }
    (void)on.close_channel(declaring);
    {
        const std::lock_guard lock{mutex_};
        for (auto& each : places_) {
            each.is_down = true;
            each.closes = false;
            if (!each.ends) each.next_try = time_->now();
        }
    }
    any_down_ = true;
    take_up_again(on);
    return {};
}

void reading::lost(const refusal&) {
    arriving_ = nullptr;
    for (auto& each : places_) {
        if (!each.is_down) each.at->gone();
    }
    const std::lock_guard lock{mutex_};
    for (auto& each : places_) each.is_down = false;
    any_down_ = false;
}

void reading::work(wire& on) {
    for (auto& each : places_) {
        if (!each.at->has_work()) continue;
        const auto done = each.at->work(on);
        if (!done && !is_gone(done.error())) channel_closed(each.at->facts().channel, done.error());
    }
    if (any_down_) take_up_again(on);
}

bool reading::has_work() const noexcept {
    return std::ranges::any_of(places_, [](const auto& each) { return each.at->has_work(); });
}

void reading::was_read() {
    for (auto& each : places_) each.at->hand_over();
}

/// A server that counts failures takes what is in hand of a channel that ends for one. Any other
/// puts it back by itself, in its order.
bool reading::would_be_charged(const wire& on, const place& which) const {
    const auto can = capabilities_for(*which.at->facts().said, about_->delays,
                                      read_version(on.server().version));
    return can.counts == detail::count_support::failures;
}

void reading::closes(wire& on) {
    const auto charged = [&](const place& each) { return would_be_charged(on, each); };
    if (std::ranges::none_of(places_, charged)) return;
    for (auto& each : places_) {
        close_cancelled(on, each);
        each.at->end_reading(on);
    }
    (void)on.read(*this);  // what came before the consumers had ended
    for (auto& each : places_) {
        close_cancelled(on, each);
        if (charged(each)) each.at->give_back_all(on);
    }
}

/// What else is in hand on its channel has done no wrong.
void reading::close_cancelled(wire& on, place& which) {
    if (!std::exchange(which.closes, false)) return;
    if (would_be_charged(on, which) && !which.at->give_back_after_gone(on)) return;
    (void)on.close_channel(which.at->facts().channel);
}

std::optional<nanoseconds> reading::due() const {
    std::optional<nanoseconds> first;
    for (const auto& each : places_) {
        if (each.is_down && (!first || each.next_try < *first)) first = each.next_try;
    }
    return first;
}

void reading::take_up_again(wire& on) {
    const auto now = time_->now();
    any_down_ = false;
    for (auto& each : places_) {
        if (!each.is_down) continue;
        any_down_ = true;
        if (each.next_try > now) continue;
        close_cancelled(on, each);
        if (!on.flush()) return;  // it has fallen already, and not for this one
        const auto done = open(on, each);
        if (done) {
            reads_again(each);
        } else {
            const auto stands = on.flush();
            each.ends = !stands && is_for_a_fault(stands.error());
            stays_down(each, done.error().message());
            if (!stands) return;
        }
    }
}

void reading::reads_again(place& which) {
    std::string was;
    {
        const std::lock_guard lock{mutex_};
        which.is_down = false;
        was = std::exchange(which.why, {});
    }
    which.tries = 0;
    which.ends = false;
    // One that stops is not opened.
    if (!was.empty() && which.at->is_open())
        host_.tell("reading_again", broker_, "queue " + which.at->facts().name);
}

void reading::stays_down(place& which, std::string why) {
    const auto tries = which.tries++;
    const auto pause = which.ends ? pause_after_end(tries) : pause_before_repeat(tries);
    which.next_try = time_->now() + pause;
    const auto line = why + "; again in " + to_text(pause);
    {
        const std::lock_guard lock{mutex_};
        which.why = std::move(why);
    }
    host_.warn("not_reading", broker_, line);
}

channel_id reading::next_channel() const noexcept {
    return static_cast<channel_id>(first_channel + places_.size());
}

/// Null: nobody reads on it.
reading::place* reading::place_of(channel_id channel) noexcept {
    const auto at = std::size_t{channel} - first_channel;
    return at < places_.size() ? &places_[at] : nullptr;
}

std::byte* reading::begins(const arrival& head) {
    arriving_ = nullptr;
    auto* const which = place_of(head.channel);
    if (which == nullptr) return nullptr;
    auto* const into = which->at->begins(head);
    arriving_ = which->at.get();  // where there was no memory, nobody awaits it
    return into;
}

void reading::arrived() {
    if (arriving_ != nullptr) arriving_->arrived();
}

void reading::went_down(place& which, std::string why) {
    which.at->gone();
    which.next_try = time_->now();
    const auto line = "queue " + which.at->facts().name + ": " + why;
    {
        const std::lock_guard lock{mutex_};
        which.is_down = true;
        which.why = std::move(why);
        any_down_ = true;
    }
    host_.warn("reading_ended", broker_, line);
}

void reading::cancelled(channel_id channel, std::string_view) {
    auto* const which = place_of(channel);
    if (which == nullptr || which->is_down) return;
    which->closes = true;
    went_down(*which,
              "the server ended the consumer: its queue is gone, or has moved, or it waited too "
              "long for an ack (consumer_timeout)");
}

void reading::channel_closed(channel_id channel, const refusal& why) {
    auto* const which = place_of(channel);
    if (which == nullptr) return;
    which->closes = false;
    if (!which->is_down) went_down(*which, "the server closed the channel: " + why.text);
}

std::string reading::trouble() const {
    const std::lock_guard lock{mutex_};
    std::string all;
    for (const auto& each : places_) {
        if (!each.is_down || each.why.empty()) continue;
        if (!all.empty()) all += "; ";
        all += "queue " + each.at->facts().name + " is not read: " + each.why;
    }
    return all;
}

}  // namespace waybill::rabbitmq
