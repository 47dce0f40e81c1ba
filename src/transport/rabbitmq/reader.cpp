#include "transport/rabbitmq/reader.hpp"

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/declaring.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/topology.hpp"
#include <waybill/clock.hpp>

#include <charconv>
#include <cstring>
#include <utility>

namespace waybill::rabbitmq {

using detail::settle_kind;

namespace {

/// Of a message that was delivered before. Where a return may be no failure the server has written
/// no count then, and passes on what a publisher wrote there; but always how often it was
/// delivered.
std::uint32_t count_in(const headers& of, bool failures_alone) {
    constexpr std::uint64_t most = UINT32_MAX - 1;
    const auto found = of.find("x-delivery-count");
    const auto count = found ? found->unsigned_integer().value_or(0) : 0;
    if (failures_alone && count != 0) {
        const auto before = of.find("x-acquired-count");
        if (before && before->unsigned_integer().value_or(most) < count) return 0;
    }
    return static_cast<std::uint32_t>(std::min(count, most));
}

/// When the message's own time to live ends: it began when the message was sent, as far as that is
/// known. 0: it has none.
std::int64_t expiry_of(const headers& of, const clock& time) {
    const auto text = of.text(property::expiration);
    if (!text) return 0;
    std::int64_t span = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), span);
    // No server takes a longer one.
    if (read.ec != std::errc{} || span < 0 || span > UINT32_MAX) return 0;
    const auto sent = of.find(property::timestamp);
    if (const auto seconds = sent ? sent->unsigned_integer() : std::nullopt) {
        if (*seconds < INT64_MAX / 2000) return static_cast<std::int64_t>(*seconds) * 1000 + span;
    }
    const auto now = std::chrono::floor<std::chrono::milliseconds>(time.wall());
    return now.count() + span;
}

/// How a window gets wider.
enum class widening : std::uint8_t {
    by_another,  ///< a second consumer has the rest
    anew,        ///< the consumer ends and begins again, as another one would not read beside it
    never,       ///< it must not end either: whole from the start
};

/// Not by one that stands by until the other has ended: 3.10 hands it nothing, and the next publish
/// crashes the queue.
widening widening_of(const queue::data& what) {
    const bool is_ours = what.there == presence::declared;
    const bool is_quorum = what.kind == queue_type::quorum;
    const bool is_alone = what.exclusive_consumer || what.single_active;
    // One that others declare may have a single active consumer without its being said.
    if (!is_alone && (is_ours || !is_quorum)) return widening::by_another;
    const bool stays = (is_ours || is_quorum) && !what.spec.auto_delete;
    return stays ? widening::anew : widening::never;
}

}  // namespace

void reader::list::push(message* what) noexcept {
    what->next = nullptr;
    *last = what;
    last = &what->next;
    ++count;
}

message* reader::list::pop() noexcept {
    auto* const taken = first;
    if (taken == nullptr) return nullptr;
    first = taken->next;
    if (first == nullptr) last = &first;
    --count;
    return taken;
}

reader::reader(reader_facts facts, detail::consumer_listener& listener, std::shared_ptr<clock> time,
               std::function<void()> poke)
    : facts_{std::move(facts)},
      listener_{&listener},
      time_{std::move(time)},
      poke_{std::move(poke)} {}

void reader::forget_listener() noexcept {
    const std::lock_guard lock{listener_mutex_};
    listener_ = nullptr;
}

// ---- any thread --------------------------------------------------------------------------------

std::size_t reader::take(std::span<detail::received> room) {
    const std::lock_guard lock{mutex_};
    if (is_cancelled_) return 0;
    std::size_t taken = 0;
    while (taken < room.size()) {
        auto* const next = ready_.pop();
        if (next == nullptr) break;
        room[taken++] = next->view();
    }
    available_ = ready_.count;
    return taken;
}

void reader::settle(std::span<const detail::settle_op> operations) {
    {
        const std::lock_guard lock{mutex_};
        settled_.insert(settled_.end(), operations.begin(), operations.end());
        has_work_ = true;
    }
    poke_();
}

void reader::widen(std::uint64_t generation, std::size_t to) noexcept {
    {
        const std::lock_guard lock{mutex_};
        if (generation != generation_ || wanted_window_ == whole_window) return;
        // One that is taken anew has less again when what its predecessor had is settled.
        const bool may_have_less = widening_of(*facts_.said) == widening::anew;
        if (!may_have_less && within_prefetch(to) <= within_prefetch(wanted_window_)) return;
        wanted_window_ = to;
        wants_window_ = true;
        has_work_ = true;
    }
    poke_();
}

std::size_t reader::within_prefetch(std::size_t window) const noexcept {
    return std::min<std::size_t>(window, facts_.prefetch);
}

void reader::cancel() noexcept {
    {
        const std::lock_guard lock{mutex_};
        is_cancelled_ = true;
        wants_cancel_ = true;
        available_ = 0;
        has_work_ = true;
    }
    poke_();
}

// ---- the connection's thread -------------------------------------------------------------------

wire::answer<void> reader::open(wire& on, std::expected<void, error>& why) {
    {
        // Whoever stops reads nothing more: what came would only be given back, and counted.
        const std::lock_guard lock{mutex_};
        if (is_cancelled_) return {};
    }
    if (auto done = on.open_channel(facts_.channel); !done) return done;
    why = declare_queue(on, facts_.channel, *facts_.said);
    if (!why) {
        (void)on.close_channel(facts_.channel);
        return {};
    }
    const auto version = read_version(on.server().version);
    counts_failures_ = version && *version >= counts_failures;
    acks_ = {};
    tags_.clear();
    window_ = 0;
    first_of_this_ = 0;
    of_earlier_ = 0;
    is_open_ = true;
    const bool widens = widening_of(*facts_.said) != widening::never;
    if (auto done = begin_reading(on, widens ? 1 : facts_.prefetch); !done) {
        is_open_ = false;
        why = std::unexpected(explain_refusal(done.error(), "queue " + facts_.name));
        if (is_gone(done.error())) return done;
    }
    return {};
}

wire::answer<void> reader::begin_reading(wire& on, std::uint16_t prefetch) {
    if (auto done = on.prefetch(facts_.channel, prefetch); !done) return done;
    window_ = static_cast<std::uint16_t>(window_ + prefetch);
    tags_.push_back("waybill-" + std::to_string(facts_.channel) + '-' +
                    std::to_string(++next_tag_number_));
    return on.consume(facts_.channel, facts_.name, tags_.back(), facts_.said->exclusive_consumer,
                      {});
}

/// A running consumer keeps its window.
wire::answer<void> reader::widen_now(wire& on, std::size_t to) {
    const bool is_whole = to == whole_window;
    to = within_prefetch(to);
    if (to <= window_ + (is_whole ? 0 : of_earlier_)) return {};
    if (widening_of(*facts_.said) != widening::anew) {
        return begin_reading(on, static_cast<std::uint16_t>(to - window_));
    }
    if (auto done = end_consumers(on); !done) return done;
    window_ = 0;
    first_of_this_ = acks_.next();
    of_earlier_ = acks_.unsettled();
    if (!is_whole) to = std::max(to, of_earlier_ + 1) - of_earlier_;
    return begin_reading(on, static_cast<std::uint16_t>(to));
}

wire::answer<void> reader::end_consumers(wire& on) {
    for (const auto& tag : std::exchange(tags_, {})) {
        if (auto done = on.cancel(facts_.channel, tag); !done) return done;
    }
    return {};
}

void reader::gone() {
    {
        const std::lock_guard lock{mutex_};
        ++generation_;
        while (auto* each = ready_.pop()) pool_.give(each);
        available_ = 0;
        wanted_window_ = 1;
        wants_window_ = false;
    }
    while (auto* each = arrived_.pop()) pool_.give(each);
    if (arriving_ != nullptr) pool_.give(std::exchange(arriving_, nullptr));
    is_open_ = false;
    const std::lock_guard lock{listener_mutex_};
    if (listener_ != nullptr) listener_->reconnected();
}

wire::answer<void> reader::work(wire& on) {
    std::size_t window = 0;
    bool cancels = false;
    bool is_over = false;
    settling_.clear();
    {
        const std::lock_guard lock{mutex_};
        has_work_ = false;
        settling_.swap(settled_);
        if (std::exchange(wants_window_, false) && !is_cancelled_) window = wanted_window_;
        cancels = std::exchange(wants_cancel_, false);
        is_over = is_cancelled_;
    }
    for (const auto& each : settling_) settle_one(on, each);
    if (is_open_) {
        acks_.take([&](acks::frame each) { on.ack(facts_.channel, each.tag, each.multiple); });
    }
    if (is_open_) {
        if (auto done = widen_now(on, window); !done) return done;
    }
    if (cancels && is_open_) {
        if (auto done = end_consumers(on); !done) return done;
    }
    if (is_over && is_open_) give_back_untaken(on);
    return {};
}

void reader::settle_one(wire& on, const detail::settle_op& operation) {
    auto* const about = static_cast<message*>(operation.token);
    const auto tag = about->tag;
    const bool stale = about->generation != generation_ || !is_open_;
    pool_.give(about);
    if (stale || !acks_.is_unsettled(tag)) return;
    if (tag < first_of_this_) --of_earlier_;
    const bool is_quorum = facts_.said->kind == queue_type::quorum;
    switch (operation.kind) {
        case settle_kind::accept:
            return acks_.ack(tag);
        case settle_kind::requeue:
            acks_.settled_otherwise(tag);
            // From 4.3 on only a rejection counts.
            return is_quorum ? on.reject(facts_.channel, tag, true)
                             : on.nack(facts_.channel, tag, false, true);
        case settle_kind::release:
            acks_.settled_otherwise(tag);
            return on.nack(facts_.channel, tag, false, true);
        case settle_kind::reject:
            acks_.settled_otherwise(tag);
            return on.reject(facts_.channel, tag, false);
        case settle_kind::leave:
        case settle_kind::nothing:
            return;
    }
}

/// After a cancel: what no lane has taken goes back.
void reader::give_back_untaken(wire& on) {
    list untaken;
    {
        const std::lock_guard lock{mutex_};
        while (auto* each = ready_.pop()) untaken.push(each);
    }
    while (auto* each = arrived_.pop()) untaken.push(each);
    while (auto* each = untaken.pop()) {
        acks_.settled_otherwise(each->tag);
        on.nack(facts_.channel, each->tag, false, true);
        pool_.give(each);
    }
}

void reader::end_reading(wire& on) {
    for (const auto& tag : std::exchange(tags_, {})) {
        if (is_open_) (void)on.cancel(facts_.channel, tag);
    }
}

void reader::give_back_all(wire& on) {
    if (!is_open_) return;
    acks_.take_back([&](std::uint64_t tag) { on.nack(facts_.channel, tag, false, true); });
}

/// All at once: some may have come after it was gone, and what the server took back itself is no
/// tag of this channel any more. Before the consumers end too, as a server of 4.3 whose patience
/// with one that has been cancelled is over closes the channel, and charges what is in hand on it.
wire::answer<void> reader::give_back_after_gone(wire& on) {
    on.nack(facts_.channel, 0, true, true);
    if (auto done = end_consumers(on); !done) return done;
    on.nack(facts_.channel, 0, true, true);
    return {};
}

std::byte* reader::begins(const arrival& head) {
    if (head.exchange.empty() && is_plain_queue(head.key)) {
        address_.assign(head.key);
    } else {
        address_ = write_address(head.exchange, head.key);
    }
    // The end of its channel cut the last one off.
    if (arriving_ != nullptr) pool_.give(std::exchange(arriving_, nullptr));
    arriving_ = pool_.take(head.packed_headers.size(), address_.size(), head.body_size);
    fill(*arriving_, head);
    return arriving_->payload();
}

void reader::fill(message& to, const arrival& head) {
    to.tag = head.tag;
    to.generation = generation_;
    to.redelivered = head.redelivered;
    auto* at = to.content();
    if (!head.packed_headers.empty()) {
        std::memcpy(at, head.packed_headers.data(), head.packed_headers.size());
        const auto all = headers::borrow(head.packed_headers);
        to.expires_at_ms = expiry_of(all, *time_);
        // On a first delivery 4.3 passes on whatever the publisher wrote there. Also where nobody
        // said that it is a quorum queue: whatever counts may have a limit.
        if (head.redelivered) to.counted = count_in(all, counts_failures_);
    }
    std::memcpy(at + head.packed_headers.size(), address_.data(), address_.size());
}

void reader::arrived() {
    auto* const done = std::exchange(arriving_, nullptr);
    // What a channel still sends that is being closed belongs to nobody.
    if (!is_open_) return pool_.give(done);
    acks_.delivered(done->tag);
    arrived_.push(done);
}

void reader::hand_over() {
    const auto count = arrived_.count;
    if (count == 0) return;
    {
        const std::lock_guard lock{mutex_};
        if (is_cancelled_) {
            has_work_ = true;  // it goes back
            return;
        }
        while (auto* each = arrived_.pop()) ready_.push(each);
        available_ = ready_.count;
    }
    const std::lock_guard lock{listener_mutex_};
    for (std::size_t told = 0; listener_ != nullptr && told < count; ++told) listener_->ready();
}

}  // namespace waybill::rabbitmq
