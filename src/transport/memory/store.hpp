/// The server's behaviour: queues, what is in hand, what waits for its time or for room.
///
/// Guarantee: a message is at one place at a time: queued, in one reader's hand, or waiting. Time
/// comes in from outside: a clock is read only for what leaves by itself or is delayed.
/// Thread-safe: one lock, held for a batch and never across a handler or a ticket's call.
///
/// What comes in is in arriving.cpp, what readers take and give back in settling.cpp, limits in
/// room.cpp, retention in keeping.cpp, connections and time in store.cpp, where each message is in
/// inventory.cpp.
#pragma once

#include "time/timer_wheel.hpp"
#include "transport/memory/expiry.hpp"
#include "transport/memory/reader.hpp"
#include "transport/memory/routes.hpp"
#include "transport/memory/short_lock.hpp"
#include "transport/memory/slab.hpp"
#include <waybill/detail/transport.hpp>
#include <waybill/memory.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::memory {

using std::chrono::nanoseconds;

/// How many messages left without having been handled, since the server was made.
struct removals {
    std::uint64_t over_limit = 0;  ///< the delivery limit
    std::uint64_t expired = 0;
    std::uint64_t retired = 0;  ///< by retention
};

/// What `store` calls the queue that a reader of this source takes from.
[[nodiscard]] std::string queue_name(const source& from, std::string_view identity);

class store {
public:
    explicit store(const options& how);
    ~store();
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    [[nodiscard]] const options& how() const noexcept { return how_; }

    /// What is no address, or is above 4 GiB, is refused. Planned faults meet apps only. `pending`
    /// only where a limit lets publishes wait, and the ticket's owner can.
    detail::publish_status publish(const outgoing_view& message, client& by,
                                   detail::publish_ticket* ticket);
    /// The same with a delay or a time to live.
    detail::publish_status publish_with_care(const outgoing_view& message, client& by,
                                             detail::publish_ticket* ticket);
    /// Why a publish there ended so, where only the server can say.
    [[nodiscard]] std::optional<error> explain(std::string_view address,
                                               detail::publish_status status, const client& by);
    /// What this client waits for, in words; empty when it does not, or only for a moment.
    [[nodiscard]] std::string trouble(const client& by, nanoseconds now);
    void declare(std::string_view name);
    void limit(std::string_view address, const limits& at);
    void retain(std::string_view address, const retention& how);

    std::unique_ptr<reader> open(const source& from, std::string_view identity,
                                 detail::consumer_listener& listener, client& by);
    void close(reader& from) noexcept;
    /// From now until the disconnect the host is told when timers need its clock: those of an app
    /// that leaves are for the others to fire.
    void connect(client& by);
    /// What its readers have in hand goes back, uncounted; what it publishes and waits is lost.
    void disconnect(client& by) noexcept;
    void cancel(reader& from) noexcept;
    std::size_t take(reader& by, std::span<detail::received> room, const clock& time) noexcept;
    void settle(reader& by, std::span<const detail::settle_op> operations, nanoseconds now);
    /// What a reader could take now; 0 once it is cancelled.
    [[nodiscard]] std::size_t available(const reader& by) const noexcept;
    [[nodiscard]] static std::uint64_t generation(const reader& by) noexcept {
        return by.generation_.load(std::memory_order_acquire);
    }

    /// Tells the apps whose connections stand when something is due sooner than before. Without the
    /// store's lock; an app that has disconnected is never told.
    void tell_hosts() noexcept;
    [[nodiscard]] std::optional<nanoseconds> next_due() const;
    std::size_t tick(nanoseconds now, std::size_t limit);

    [[nodiscard]] std::size_t queued(std::string_view name) const;
    [[nodiscard]] std::size_t unsettled() const;
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] removals removed() const;

    // For whoever keeps a book of every message beside the server.

    /// A queue by its name, that of a fan-out reader marked so that no two are alike.
    using queue_visitor = std::function<void(const std::string& queue, const entry& message)>;
    /// Told, under the lock, of each message that leaves without having been handled.
    void watch_removals(queue_visitor told);
    /// The queues that would each get what is published to this address now.
    [[nodiscard]] std::vector<std::string> targets_of(std::string_view address);
    /// Visits what is ready.
    void for_each_ready(const queue_visitor& visit) const;
    /// Takes what is ready at an address out of every queue.
    void remove(std::string_view address, const queue_visitor& visit);
    /// Takes out all that is ready or waits. Nobody may read any more.
    void drain(const queue_visitor& visit);
    void fail_publishes(std::string_view address, std::size_t times, publish_fault how);
    void drop_connections();
    void crash();

    /// The client of who publishes from outside of any app.
    [[nodiscard]] client& outside() noexcept { return outside_; }

private:
    /// Publishes that have ended and whose tickets are to be told, once the lock is free.
    struct told {
        client* by;
        detail::publish_ticket* ticket;
        detail::publish_status status;
    };
    using endings = std::vector<told>;
    /// Also tells the apps when something leaves sooner than they know.
    void tell(const endings& all) noexcept;
    /// A time that does not come before `soonest_` may be beyond the end of the range.
    void note_due(nanoseconds now, nanoseconds delay) noexcept {
        if (delay >= soonest_ - now) return;
        soonest_ = now + delay;
        is_sooner_.store(true, std::memory_order_relaxed);
    }
    static void end(const held_publish& one, detail::publish_status status, endings& ended);

    // arriving.cpp
    detail::publish_status publish_locked(const outgoing_view& message, client& by,
                                          detail::publish_ticket* ticket, endings& ended);
    bool prepare(address& to);
    entry* make_entry(address& to, const outgoing_view& message);
    entry* make_limited(address& to, const outgoing_view& message);
    entry& with_life(entry& message);
    entry* clone(entry& from);
    void put(address& to, const outgoing_view& message, const clock& time, endings& ended);
    void deliver(backlog& to, entry& message, nanoseconds delay, nanoseconds now);
    void keep_waiting(backlog& to, entry& message, nanoseconds delay, nanoseconds now);
    void arrived(entry& message, nanoseconds due, endings& ended);
    void catch_up(backlog& late);
    std::optional<publish_fault> take_planned_fault(address& to);

    // settling.cpp
    void settle_one(reader& by, const detail::settle_op& operation, nanoseconds now);
    void settle_measured(reader& by, std::span<const detail::settle_op> operations,
                         nanoseconds now);
    std::size_t give_out(reader& by, std::span<detail::received> room) noexcept;
    std::size_t take_measured(reader& by, std::span<detail::received> room, nanoseconds now);
    void leave_hand(reader& by, entry& message) noexcept;
    /// False: its count rose above the limit, and it is gone.
    bool is_kept_after_return(const reader& by, entry& message, bool has_failed) noexcept;
    [[nodiscard]] bool is_counted(bool has_failed) const noexcept {
        return has_failed || how_.counts == counting::returns;
    }
    void return_hand(reader& by, bool has_failed);

    // keeping.cpp
    static void measure(backlog& from);
    void measure_targets(address& to);
    void enter(backlog& to, entry& message);
    void enter_first(backlog& to, entry& message);
    void note_entry(backlog& to, entry& message);
    void begin_life(backlog& in, entry& message);
    void renew_ages(backlog& in, const address& of);
    [[nodiscard]] static nanoseconds age_of(const address& to) noexcept {
        return to.keep != nullptr ? std::max(to.keep->age, nanoseconds{0}) : nanoseconds{0};
    }
    void leave(backlog& from, entry& message) noexcept;
    void note_end(const backlog& in, entry& message) noexcept;
    void say_removed(const backlog& from, const entry& message) const;
    void enforce(backlog& in, const address& of, endings& ended);
    void retire(backlog& in, entry& message) noexcept;
    std::size_t expire(nanoseconds now, std::size_t limit, endings& ended);

    // room.cpp
    [[nodiscard]] static backlog* full_target(const address& to, const outgoing_view& message);
    [[nodiscard]] static bool has_in_hand(const client& by, const address& to) noexcept;
    detail::publish_status hold_back(address& to, backlog& full, const outgoing_view& message,
                                     client& by, detail::publish_ticket* ticket);
    [[nodiscard]] bool may_wait(const client& by, const detail::publish_ticket* ticket) const;
    void admit(backlog& into, endings& ended);
    void admit_everywhere(endings& ended);
    template <class F>
    std::list<held_publish> take_held(F&& is_one);
    void end_held(const client& by, bool is_cut, endings& ended);
    void lose_held_of_readers(endings& ended);
    void end_hopeless(address& to, endings& ended);

    // store.cpp
    std::size_t arrive(nanoseconds now, std::size_t limit, endings& ended);

    static void push_back(backlog& to, entry& message) noexcept {
        to.ready.push_back(message);
        ++to.count;
        for (auto* each : to.readers) each->listener().ready();
    }
    void empty(backlog& all) noexcept;

    /// What is planned for the next publishes to an address.
    struct planned_faults {
        std::size_t times;
        publish_fault how;
    };

    options how_;
    std::uint32_t most_returns_;
    mutable short_lock mutex_;
    slab slab_;
    routes routes_;
    timer_wheel waits_;
    expiry leaving_;
    std::list<reader*> readers_;
    std::map<std::string, planned_faults, std::less<>> planned_;
    std::map<std::string, limits, std::less<>> limits_;
    std::map<std::string, retention, std::less<>> retentions_;
    removals removed_;
    queue_visitor removal_watch_;
    ring orphans_;  ///< what is in nobody's hand any more, but may still be looked at
    client outside_;
    std::size_t self_driven_ = 0;         ///< connected apps that run without being driven by hand
    std::size_t held_count_ = 0;          ///< publishes that wait for room
    std::atomic<bool> is_sooner_{false};  ///< something is, and no host was told yet
    /// What is due first, as far as the hosts were told; what they ask for is exact.
    mutable nanoseconds soonest_ = nanoseconds::max();
    short_lock hosts_mutex_;
    std::vector<detail::transport_host*> hosts_;
};

}  // namespace waybill::memory
