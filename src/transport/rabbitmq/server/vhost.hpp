/// A virtual host: its exchanges and queues, and what becomes of each message in them.
///
/// A message is ready in a queue, in a consumer's hand, or held with the dead of a queue until its
/// target has it. Time comes in from outside. The server's lock guards it.
///
/// Declaring and deleting is in vhost.cpp, what comes in and goes out in delivering.cpp, what dies
/// in dying.cpp, what happens by itself in timing.cpp, where each message is in inventory.cpp.
#pragma once

#include "transport/rabbitmq/server/channel.hpp"
#include "transport/rabbitmq/server/exchanges.hpp"
#include "transport/rabbitmq/server/queue.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq::fake {

/// What the vhosts of a server share.
struct surroundings {
    server_options how;
    std::function<nanoseconds()> now;
    std::function<std::chrono::milliseconds()> wall;
    std::function<void(const removal&)> removed;
    std::function<void(const movement&)> moved;
};

class vhost {
public:
    vhost(std::string name, const surroundings& in);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] server_version version() const noexcept { return in_.how.version; }

    // vhost.cpp
    std::expected<queue_state, refusal> declare(const queue_spec& what, bool passive,
                                                connection* by);
    std::expected<void, refusal> declare(const exchange_spec& what, bool passive);
    std::expected<void, refusal> bind_queue(std::string_view queue, std::string_view from,
                                            std::string_view key, const headers& arguments,
                                            const connection* by);
    std::expected<void, refusal> bind_exchange(std::string_view to, std::string_view from,
                                               std::string_view key, const headers& arguments);
    /// False: there is none, or it is one that every vhost has.
    bool delete_exchange(std::string_view name) { return exchanges_.erase(name); }
    std::expected<std::uint32_t, refusal> delete_queue(std::string_view name, bool if_unused,
                                                       bool if_empty, const connection* by);
    std::expected<consumer*, refusal> consume(channel& by, std::string_view queue,
                                              std::string_view tag, bool exclusive,
                                              const headers& arguments);
    /// What it has in hand stays in the hand of its channel.
    void cancel(consumer& one);
    void opened(channel& one) { channels_.insert(&one); }
    /// Those of a connection that ended.
    void delete_exclusive_queues(const connection& of);
    void remove(queue& gone);
    void restart();

    [[nodiscard]] queue* find(std::string_view name) const;
    template <class F>
    void for_each(F&& visit) const {
        for (const auto& [name, each] : queues_) visit(*each);
    }

    // delivering.cpp
    [[nodiscard]] const exchange_spec* exchange(std::string_view name) const {
        return exchanges_.find(name);
    }
    [[nodiscard]] std::vector<queue*> route(const message& what) const;
    /// Into each; says whether all took it.
    bool publish(const message_ptr& what, const std::vector<queue*>& to);
    void acked(unsettled_message& one);
    /// With `requeue`, else it dies.
    void given_back(unsettled_message& one, comeback how, bool requeue);
    /// Channels that end together: their consumers go, and then what they have in hand comes back,
    /// in order, before anybody is served.
    void end(const std::vector<channel*>& all);
    /// Gives out what can be, drops what is too much, and notes when to look again.
    void serve(queue& of);

    // inventory.cpp
    /// Of one queue, or of all when no name is given.
    [[nodiscard]] std::size_t in_hand(std::string_view queue) const;
    /// Takes out all that is ready, in hand or dead, and visits it.
    void drain_all(const std::function<void(const queue& from, const entry& each)>& visit);

    // timing.cpp
    [[nodiscard]] std::optional<nanoseconds> next_due() const;
    /// One thing whose time has come; false when there was none.
    bool tick(nanoseconds now);

private:
    // delivering.cpp
    bool put(queue& into, const message_ptr& what);
    void hand_out(consumer& to, entry one);
    [[nodiscard]] headers headers_for(const queue& from, const entry& one) const;
    /// False: it exceeds the limit.
    bool count(const queue& of, entry& one, comeback how) const;
    static void leave_hand(unsettled_message& one);
    void take_back(channel& from);

    // dying.cpp
    void die(queue& in, entry one, std::string_view why);
    void hold(queue& in, queue::held_dead one);
    void try_again(queue& in);
    void say_removed(const queue& from, std::string_view why, const message& what) const;

    // timing.cpp
    void note_due(queue& of);
    void note_unused(queue& of) const;
    [[nodiscard]] std::optional<nanoseconds> due_of(const queue& of) const;
    void forget_due(queue& of);

    struct appointment {
        nanoseconds due;
        std::uint64_t serial;
        queue* with;
        friend bool operator<(const appointment& a, const appointment& b) noexcept {
            return a.due != b.due ? a.due < b.due : a.serial < b.serial;
        }
    };

    std::string name_;
    const surroundings& in_;
    exchanges exchanges_;
    std::map<std::string, std::unique_ptr<queue>, std::less<>> queues_;
    std::set<channel*> channels_;
    std::set<appointment> agenda_;
    std::uint64_t next_serial_ = 0;
};

}  // namespace waybill::rabbitmq::fake
