/// The server's behaviour: addresses, queues, what is in hand, what waits.
///
/// Guarantee: a message is at one place at a time: queued, in one reader's hand, or waiting. Time
/// comes in from outside; nothing here reads a clock or does I/O. Thread-safe: one lock, held for
/// a batch and never across a handler.
#pragma once

#include "time/timer_wheel.hpp"
#include "transport/memory/short_lock.hpp"
#include "transport/memory/slab.hpp"
#include <waybill/detail/transport.hpp>
#include <waybill/memory.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::memory {

class reader;

/// Messages that one kind of reader shares.
struct backlog {
    std::string name;     ///< the source's; for a fan-out reader its identity
    std::string pattern;  ///< what it takes
    bool fan_out = false;
    bool is_kept = false;  ///< made because nobody reads the address; serves until somebody does
    entry* first = nullptr;
    entry** last = &first;
    std::size_t count = 0;
    std::vector<reader*> readers;
};

/// A name that something was published to.
struct address {
    std::string name;
    backlog* first_target = nullptr;
    std::vector<backlog*> more_targets;
    std::uint64_t routed_at = 0;    ///< the routing generation its targets are of
    std::uint64_t one_push_at = 0;  ///< the same, where a publish is one push and cannot fail
};

/// A consumer's part inside of the store.
class reader {
public:
    reader(backlog& from, detail::consumer_listener& listener, const void* connection) noexcept
        : from_{&from}, listener_{&listener}, connection_{connection} {
        clear();
    }

private:
    friend class store;
    void clear() noexcept { hand_.next = hand_.previous = &hand_; }

    backlog* from_;
    detail::consumer_listener* listener_;
    const void* connection_;
    std::atomic<std::uint64_t> generation_{1};
    bool cancelled_ = false;
    entry hand_{};  ///< ring of what is in hand, in the order it was taken
    std::size_t in_hand_ = 0;
};

using std::chrono::nanoseconds;

class store {
public:
    explicit store(options how) noexcept
        : how_{how},
          most_returns_{how.counts == counting::none || how.delivery_limit == 0
                            ? UINT32_MAX
                            : how.delivery_limit} {
        orphans_.next = orphans_.previous = &orphans_;
    }
    ~store();
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    [[nodiscard]] const options& how() const noexcept { return how_; }

    /// `by_app`: planned failures apply. What is no address, or is above 4 GiB, is refused.
    detail::publish_status publish(const outgoing_view& message, nanoseconds now, bool by_app);
    void declare(std::string_view name);

    std::unique_ptr<reader> open(const source& from, std::string_view identity,
                                 detail::consumer_listener& listener, const void* connection);
    void close(reader& from) noexcept;
    /// From now until the disconnect the host is told when timers need its clock: those of an app
    /// that leaves are for the others to fire.
    void connect(detail::transport_host& host);
    /// What the readers of this connection have in hand goes back, uncounted.
    void disconnect(const void* connection, detail::transport_host& host) noexcept;
    void cancel(reader& from) noexcept;
    std::size_t take(reader& by, std::span<detail::received> room) noexcept;
    void settle(reader& by, std::span<const detail::settle_op> operations, nanoseconds now);
    /// What a reader could take now; 0 once it is cancelled.
    [[nodiscard]] std::size_t available(const reader& by) const noexcept;
    [[nodiscard]] static std::uint64_t generation(const reader& by) noexcept {
        return by.generation_.load(std::memory_order_acquire);
    }

    [[nodiscard]] std::optional<nanoseconds> next_due() const;
    std::size_t tick(nanoseconds now, std::size_t limit);

    [[nodiscard]] std::size_t queued(std::string_view name) const;
    [[nodiscard]] std::size_t unsettled() const;
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::uint64_t dropped_at_limit() const;
    void fail_publishes(std::string_view address, std::size_t times, publish_fault how);
    void drop_connections();
    void crash();

private:
    address& address_named(std::string_view name, std::uint64_t hash);
    address& make_address(std::string_view name, std::uint64_t hash);
    void grow_table();
    bool route(address& to);
    backlog& queue_for(std::string_view name, std::string_view pattern, bool fan_out);
    void adopt(backlog& into);
    [[nodiscard]] bool is_planned_to_fail(std::string_view name) const;
    std::optional<publish_fault> take_planned_fault(std::string_view name);

    entry* make_entry(address& to, const outgoing_view& message);
    entry* clone(entry& from);
    detail::publish_status publish_slowly(address& to, const outgoing_view& message,
                                          nanoseconds now, bool by_app);
    void deliver(backlog& to, entry& message, nanoseconds delay, nanoseconds now);
    void push_back(backlog& to, entry& message) noexcept;
    void push_front(backlog& to, entry& first, entry& last, std::size_t count) noexcept;
    entry* pop_front(backlog& from) noexcept;
    static void unlink(entry& message) noexcept;
    static void unlink(reader& by, entry& message) noexcept;
    void settle_one(reader& by, const detail::settle_op& operation, nanoseconds now);
    /// False: its count rose above the limit, and it is gone.
    bool is_kept_after_return(entry& message, bool has_failed) noexcept;
    [[nodiscard]] bool is_counted(bool has_failed) const noexcept {
        return has_failed || how_.counts == counting::returns;
    }
    void return_hand(reader& by, bool has_failed);
    void empty(backlog& all) noexcept;
    void arrived(entry& message);

    struct slot {
        std::uint64_t hash = 0;
        address* at = nullptr;
    };

    /// What is planned for the next publishes to an address.
    struct planned_faults {
        std::size_t times;
        publish_fault how;
    };

    options how_;
    std::uint32_t most_returns_;
    std::uint64_t dropped_at_limit_ = 0;
    mutable short_lock mutex_;
    slab slab_;
    std::vector<slot> table_{64};  ///< open addressing, a power of two, at most half full
    std::uint64_t mask_ = 63;
    std::vector<std::unique_ptr<address>> addresses_;
    std::map<std::string, std::unique_ptr<backlog>, std::less<>> queues_;
    std::uint64_t routing_ = 1;
    timer_wheel waits_;
    std::vector<reader*> readers_;
    std::map<std::string, planned_faults, std::less<>> planned_;
    entry orphans_{};  ///< ring of what is in nobody's hand any more, but may still be looked at
    std::mutex hosts_mutex_;
    std::vector<detail::transport_host*> hosts_;
};

}  // namespace waybill::memory
