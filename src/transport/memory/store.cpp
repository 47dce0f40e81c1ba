#include "transport/memory/store.hpp"

#include "transport/memory/name_hash.hpp"
#include "transport/memory/pattern.hpp"

#include <algorithm>
#include <cstring>

namespace waybill::memory {

using detail::publish_status;
using detail::received;
using detail::settle_kind;
using detail::settle_op;

namespace {

/// In front of a fan-out queue's key. No source's name holds a control character.
constexpr const char* fan_out_mark = "\n";

/// What an entry's sizes can say.
constexpr std::size_t largest_message = UINT32_MAX;

/// Is this a delivery that comes first again?
bool goes_to_front(const settle_op& operation) noexcept {
    return (operation.kind == settle_kind::release || operation.kind == settle_kind::nothing) &&
           operation.delay <= operation.delay.zero();
}

bool goes_again_now(const settle_op& operation) noexcept {
    return operation.kind == settle_kind::requeue && operation.delay <= operation.delay.zero();
}

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

}  // namespace

store::~store() {
    crash();
    for (const auto& each : queues_) empty(*each.second);
    while (orphans_.next != &orphans_) {
        auto* left = orphans_.next;
        unlink(*left);
        slab_.give(left);
    }
}

// ---- publishing --------------------------------------------------------------------------------

/// On the path of every publish, and so inlined there.
[[gnu::always_inline]] inline address& store::address_named(std::string_view name,
                                                            std::uint64_t hash) {
    for (auto at = hash & mask_; table_[at].at != nullptr; at = (at + 1) & mask_) {
        if (table_[at].hash == hash && same_name(table_[at].at->name, name)) return *table_[at].at;
    }
    return make_address(name, hash);
}

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
    if (headers_size != 0) std::memcpy(made->bytes(), message.packed_headers.data(), headers_size);
    if (payload_size != 0) std::memcpy(made->payload(), message.payload.data(), payload_size);
    return made;
}

[[gnu::always_inline]] inline void store::push_back(backlog& to, entry& message) noexcept {
    message.next = nullptr;
    *to.last = &message;
    to.last = &message.next;
    ++to.count;
    for (auto* each : to.readers) each->listener_->ready();
}

publish_status store::publish(const outgoing_view& message, nanoseconds now, bool by_app) {
    if (message.packed_headers.size() + message.payload.size() > largest_message) [[unlikely]]
        return publish_status::refused;
    const auto hash = hash_of(message.address);
    const std::lock_guard lock{mutex_};
    auto& to = address_named(message.address, hash);
    if (to.one_push_at != routing_ || message.delay > message.delay.zero()) [[unlikely]] {
        return publish_slowly(to, message, now, by_app);
    }
    push_back(*to.first_target, *make_entry(to, message));
    return publish_status::confirmed;
}

publish_status store::publish_slowly(address& to, const outgoing_view& message, nanoseconds now,
                                     bool by_app) {
    const auto fault = by_app ? take_planned_fault(message.address) : std::nullopt;
    if (fault && fault != publish_fault::taken_and_lost) return status_of(*fault);
    if (to.routed_at != routing_ && !route(to)) return publish_status::refused;
    auto* first = make_entry(to, message);
    for (auto* further : to.more_targets) {
        deliver(*further, *clone(*first), message.delay, now);
    }
    deliver(*to.first_target, *first, message.delay, now);
    return fault ? status_of(*fault) : publish_status::confirmed;
}

address& store::make_address(std::string_view name, std::uint64_t hash) {
    if ((addresses_.size() + 1) * 2 > table_.size()) grow_table();
    addresses_.push_back(std::make_unique<address>());
    auto& made = *addresses_.back();
    made.name = name;
    auto at = hash & mask_;
    while (table_[at].at != nullptr) at = (at + 1) & mask_;
    table_[at] = {hash, &made};
    return made;
}

void store::grow_table() {
    std::vector<slot> wider(table_.size() * 2);
    const auto mask = wider.size() - 1;
    for (const auto& each : table_) {
        if (each.at == nullptr) continue;
        auto at = each.hash & mask;
        while (wider[at].at != nullptr) at = (at + 1) & mask;
        wider[at] = each;
    }
    table_.swap(wider);
    mask_ = mask;
}

/// Finds the queues that take what is published here. When nobody reads the address, what comes is
/// kept in a queue of its own until somebody does. False: it is no address to publish to, and never
/// counts as routed, so that only the first publish after a change of routes pays for the check.
bool store::route(address& to) {
    if (!address_problem(to.name).empty()) return false;
    std::vector<backlog*> targets;
    for (const auto& [key, each] : queues_) {
        if (!each->is_kept && matches(each->pattern, to.name)) targets.push_back(each.get());
    }
    if (targets.empty()) {
        auto& kept = queue_for(to.name, to.name, false);
        kept.is_kept = true;
        targets.push_back(&kept);
    }
    to.first_target = targets.front();
    to.more_targets.assign(targets.begin() + 1, targets.end());
    to.routed_at = routing_;
    const bool is_one_push = to.more_targets.empty() && !is_planned_to_fail(to.name);
    to.one_push_at = is_one_push ? routing_ : 0;
    return true;
}

backlog& store::queue_for(std::string_view name, std::string_view pattern, bool fan_out) {
    auto key = (fan_out ? fan_out_mark : "") + std::string{name};
    if (const auto found = queues_.find(key); found != queues_.end()) return *found->second;
    auto made = std::make_unique<backlog>();
    made->name = name;
    made->pattern = pattern;
    made->fan_out = fan_out;
    return *queues_.emplace(std::move(key), std::move(made)).first->second;
}

void store::declare(std::string_view name) {
    const std::lock_guard lock{mutex_};
    queue_for(name, name, false).is_kept = false;
    ++routing_;
}

bool store::is_planned_to_fail(std::string_view name) const { return planned_.contains(name); }

std::optional<publish_fault> store::take_planned_fault(std::string_view name) {
    const auto found = planned_.find(name);
    if (found == planned_.end()) return std::nullopt;
    const auto how = found->second.how;
    if (--found->second.times == 0) {
        planned_.erase(found);
        ++routing_;
    }
    return how;
}

entry* store::clone(entry& from) {
    auto* made = make_entry(
        *from.to, {{}, {from.payload(), from.payload_size}, {from.bytes(), from.headers_size}});
    made->count = from.count;
    made->redelivered = from.redelivered;
    return made;
}

void store::deliver(backlog& to, entry& message, nanoseconds delay, nanoseconds now) {
    if (delay > delay.zero()) [[unlikely]] {
        message.home = &to;
        waits_.arm(now, delay, &message);
    } else {
        push_back(to, message);
    }
}

// ---- queues ------------------------------------------------------------------------------------

void store::push_front(backlog& to, entry& first, entry& last, std::size_t count) noexcept {
    last.next = to.first;
    if (to.first == nullptr) to.last = &last.next;
    to.first = &first;
    to.count += count;
    for (auto* each : to.readers) each->listener_->ready();
}

entry* store::pop_front(backlog& from) noexcept {
    auto* taken = from.first;
    from.first = taken->next;
    if (from.first == nullptr) from.last = &from.first;
    --from.count;
    return taken;
}

void store::empty(backlog& all) noexcept {
    while (all.first != nullptr) slab_.give(pop_front(all));
}

// ---- reading -----------------------------------------------------------------------------------

std::unique_ptr<reader> store::open(const source& from, std::string_view identity,
                                    detail::consumer_listener& listener, const void* connection) {
    const std::lock_guard lock{mutex_};
    auto& reads =
        queue_for(from.fan_out ? identity : std::string_view{from.name}, from.name, from.fan_out);
    reads.is_kept = false;
    ++routing_;
    if (!from.fan_out && is_pattern(from.name)) adopt(reads);
    auto opened = std::make_unique<reader>(reads, listener, connection);
    reads.readers.push_back(opened.get());
    readers_.push_back(opened.get());
    return opened;
}

/// What was kept because nobody read its address belongs to the first who does.
void store::adopt(backlog& into) {
    for (const auto& [key, each] : queues_) {
        if (!each->is_kept || !matches(into.pattern, each->name)) continue;
        while (each->first != nullptr) push_back(into, *pop_front(*each));
    }
}

void store::cancel(reader& from) noexcept {
    const std::lock_guard lock{mutex_};
    from.cancelled_ = true;
}

void store::close(reader& from) noexcept {
    const std::lock_guard lock{mutex_};
    return_hand(from, false);
    from.cancelled_ = true;
    std::erase(from.from_->readers, &from);
    std::erase(readers_, &from);
}

void store::connect(detail::transport_host& host) {
    const std::lock_guard lock{hosts_mutex_};
    hosts_.push_back(&host);
}

void store::disconnect(const void* connection, detail::transport_host& host) noexcept {
    {
        const std::lock_guard lock{mutex_};
        for (auto* each : readers_) {
            if (each->connection_ != connection) continue;
            each->cancelled_ = true;
            return_hand(*each, false);
        }
    }
    // Held while they are told: none of them may leave meanwhile.
    const std::lock_guard lock{hosts_mutex_};
    if (std::erase(hosts_, &host) == 0) return;
    for (auto* each : hosts_) each->timer_changed();
}

std::size_t store::take(reader& by, std::span<received> room) noexcept {
    const std::lock_guard lock{mutex_};
    auto& from = *by.from_;
    if (by.cancelled_) return 0;
    const auto generation = by.generation_.load(std::memory_order_relaxed);
    const auto count = std::min(room.size(), from.count);
    for (std::size_t at = 0; at < count; ++at) {
        auto* taken = pop_front(from);
        __builtin_prefetch(from.first);
        taken->next = &by.hand_;
        taken->previous = by.hand_.previous;
        by.hand_.previous->next = taken;
        by.hand_.previous = taken;
        room[at] = {taken->to->name,
                    {taken->payload(), taken->payload_size},
                    {taken->bytes(), taken->headers_size},
                    taken,
                    generation,
                    how_.counts != counting::none ? taken->count : 0,
                    taken->redelivered};
    }
    by.in_hand_ += count;
    return count;
}

std::size_t store::available(const reader& by) const noexcept {
    const std::lock_guard lock{mutex_};
    return by.cancelled_ ? 0 : by.from_->count;
}

// ---- settling ----------------------------------------------------------------------------------

void store::settle(reader& by, std::span<const settle_op> operations, nanoseconds now) {
    const std::lock_guard lock{mutex_};
    std::size_t to_front = 0;
    for (const auto& operation : operations) {
        auto* message = static_cast<entry*>(operation.token);
        if (operation.kind == settle_kind::accept && !message->orphaned) [[likely]] {
            unlink(by, *message);
            slab_.give(message);
        } else if (goes_again_now(operation) && !message->orphaned) {
            unlink(by, *message);
            if (is_kept_after_return(*message, true)) push_back(*by.from_, *message);
        } else if (goes_to_front(operation)) {
            ++to_front;
        } else {
            settle_one(by, operation, now);
        }
    }
    // The last one first, so that they stand in the order in which they were taken.
    for (auto at = operations.rbegin(); to_front != 0; ++at) {
        if (!goes_to_front(*at)) continue;
        settle_one(by, *at, now);
        --to_front;
    }
}

void store::unlink(entry& message) noexcept {
    message.previous->next = message.next;
    message.next->previous = message.previous;
}

void store::unlink(reader& by, entry& message) noexcept {
    unlink(message);
    --by.in_hand_;
}

void store::settle_one(reader& by, const settle_op& operation, nanoseconds now) {
    auto& message = *static_cast<entry*>(operation.token);
    if (message.orphaned) {
        unlink(message);
        return slab_.give(&message);
    }
    if (operation.kind == settle_kind::leave) return;
    unlink(by, message);
    if (operation.kind == settle_kind::accept || operation.kind == settle_kind::reject) {
        return slab_.give(&message);
    }
    const bool has_failed = operation.kind == settle_kind::requeue;
    if (!is_kept_after_return(message, has_failed)) return;
    if (has_failed || operation.delay > operation.delay.zero()) {
        deliver(*by.from_, message, operation.delay, now);
    } else {
        push_front(*by.from_, message, message, 1);
    }
}

[[gnu::always_inline]] inline bool store::is_kept_after_return(entry& message,
                                                               bool has_failed) noexcept {
    message.redelivered = true;
    if (!is_counted(has_failed) || ++message.count <= most_returns_) [[likely]]
        return true;
    ++dropped_at_limit_;
    slab_.give(&message);
    return false;
}

/// Puts clones of what is in hand back to the front, in order; the originals stay readable for
/// whoever holds them, and are freed when they are settled, or with the store.
void store::return_hand(reader& by, bool has_failed) {
    if (by.in_hand_ == 0) {
        by.generation_.fetch_add(1, std::memory_order_release);
        return;
    }
    // All clones before the first change: memory may run out.
    backlog again;
    std::uint64_t dropped = 0;
    try {
        for (auto* held = by.hand_.next; held != &by.hand_; held = held->next) {
            if (is_counted(has_failed) && held->count >= most_returns_) {
                ++dropped;
                continue;
            }
            auto* made = clone(*held);
            made->redelivered = true;
            if (is_counted(has_failed)) ++made->count;
            push_back(again, *made);
        }
    } catch (...) {
        empty(again);
        throw;
    }
    for (auto* held = by.hand_.next; held != &by.hand_; held = held->next) held->orphaned = true;
    by.hand_.next->previous = orphans_.previous;
    orphans_.previous->next = by.hand_.next;
    by.hand_.previous->next = &orphans_;
    orphans_.previous = by.hand_.previous;
    by.clear();
    by.in_hand_ = 0;
    by.generation_.fetch_add(1, std::memory_order_release);
    dropped_at_limit_ += dropped;
    auto* last = again.first;
    if (last == nullptr) return;
    while (last->next != nullptr) last = last->next;
    push_front(*by.from_, *again.first, *last, again.count);
}

// ---- time --------------------------------------------------------------------------------------

/// What waited for an address that nobody read goes to who reads it by now.
void store::arrived(entry& message) {
    if (!message.home->is_kept) [[likely]]
        return push_back(*message.home, message);
    auto& to = *message.to;
    if (to.routed_at != routing_) route(to);
    for (auto* further : to.more_targets) push_back(*further, *clone(message));
    push_back(*to.first_target, message);
}

std::optional<nanoseconds> store::next_due() const {
    const std::lock_guard lock{mutex_};
    return waits_.next_due();
}

std::size_t store::tick(nanoseconds now, std::size_t limit) {
    const std::lock_guard lock{mutex_};
    return waits_.expire(now, [&](void* item) { arrived(*static_cast<entry*>(item)); }, limit);
}

// ---- what tests and people ask -----------------------------------------------------------------

std::size_t store::queued(std::string_view name) const {
    const std::lock_guard lock{mutex_};
    if (const auto found = queues_.find(name); found != queues_.end()) return found->second->count;
    const auto found = queues_.find(fan_out_mark + std::string{name});
    return found != queues_.end() ? found->second->count : 0;
}

std::size_t store::unsettled() const {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (const auto* each : readers_) count += each->in_hand_;
    return count;
}

std::size_t store::waiting() const {
    const std::lock_guard lock{mutex_};
    return waits_.size();
}

std::uint64_t store::dropped_at_limit() const {
    const std::lock_guard lock{mutex_};
    return dropped_at_limit_;
}

void store::fail_publishes(std::string_view address, std::size_t times, publish_fault how) {
    const std::lock_guard lock{mutex_};
    if (times == 0) {
        planned_.erase(std::string{address});
    } else {
        planned_[std::string{address}] = {times, how};
    }
    ++routing_;
}

void store::drop_connections() {
    const std::lock_guard lock{mutex_};
    for (auto* each : readers_) return_hand(*each, true);
}

void store::crash() {
    const std::lock_guard lock{mutex_};
    for (auto* each : readers_) return_hand(*each, true);
    if (how_.outlives_crash) return;
    for (const auto& each : queues_) empty(*each.second);
    waits_.drain([&](void* item) { slab_.give(static_cast<entry*>(item)); });
}

}  // namespace waybill::memory
