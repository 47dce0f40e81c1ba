/// One queue: what is ready in it, in the order in which it is delivered, and who reads it.
///
/// Keeps, counts and orders; what happens to a message then is the vhost's. The server's lock
/// guards it.
#pragma once

#include "transport/rabbitmq/server/arguments.hpp"
#include "transport/rabbitmq/server/message.hpp"
#include "transport/rabbitmq/wire.hpp"

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::rabbitmq::fake {

class connection;
struct channel;
class queue;

struct consumer {
    channel* of;
    queue* from;
    std::string tag;
    std::uint16_t prefetch;  ///< 0: any number
    std::int64_t priority;
    bool is_exclusive;
    std::size_t in_hand = 0;

    [[nodiscard]] bool has_room() const noexcept { return prefetch == 0 || in_hand < prefetch; }
};

/// A message with what this queue knows of it.
struct entry {
    message_ptr what;
    std::optional<nanoseconds> due{};  ///< when it has been there too long
    std::uint64_t deliveries = 0;
    std::int64_t failures = 0;  ///< the returns that count
    std::uint64_t place = 0;    ///< among those that were published
};

/// How a message comes back.
enum class comeback : std::uint8_t { nacked, rejected, lost };

class queue {
public:
    queue(queue_spec what, queue_policy how, connection* owner, std::uint64_t serial)
        : spec{std::move(what)}, policy{std::move(how)}, owner{owner}, serial{serial} {}

    [[nodiscard]] std::size_t size() const noexcept { return ready_.size(); }
    [[nodiscard]] bool is_empty() const noexcept { return ready_.empty(); }
    [[nodiscard]] const entry& front() const { return ready_.begin()->second; }
    /// A publish would be refused now.
    [[nodiscard]] bool is_refusing(std::size_t body_size) const noexcept;
    /// Its head is to be dropped.
    [[nodiscard]] bool is_above_limit() const noexcept;

    void add(message_ptr what, nanoseconds now);
    entry take_front();
    /// Where such a message goes: to its old place, before the others, or to the end.
    void put_back(entry returned, comeback how, server_version version);

    /// Who gets the next message; null when nobody can take one.
    [[nodiscard]] consumer* next_taker();
    /// After the last of its priority. In a queue of one active consumer the first stays it.
    consumer& add_consumer(std::unique_ptr<consumer> one);
    void remove_consumer(const consumer& one);
    /// What does not outlive a restart; visited.
    template <class F>
    void remove_transient(F&& visit) {
        std::erase_if(ready_, [&](const auto& each) {
            const auto& what = *each.second.what;
            if (what.is_persistent) return false;
            bytes_ -= what.body.size();
            visit(each.second);
            return true;
        });
    }
    [[nodiscard]] bool has_exclusive_consumer() const noexcept;

    template <class F>
    void for_each_ready(F&& visit) const {
        for (const auto& [key, each] : ready_) visit(each);
    }

    queue_spec spec;
    queue_policy policy;
    connection* owner;  ///< of an exclusive queue
    std::uint64_t serial;
    std::list<std::unique_ptr<consumer>> consumers;
    std::optional<nanoseconds> unused_until{};  ///< then it is deleted, unless somebody reads it
    std::optional<nanoseconds> on_agenda{};     ///< when the vhost looks at it next
    bool had_consumer = false;

    /// The dead whose target has not got them yet.
    struct held_dead {
        entry what;
        std::string reason;
        std::set<std::string> taken_by;
        nanoseconds again;
    };
    std::list<held_dead> dead;

private:
    /// Those that came back to a quorum queue stand before all others, higher priorities first.
    struct position {
        int band;
        std::uint64_t place;
        friend auto operator<=>(const position&, const position&) = default;
    };
    [[nodiscard]] int band_of(const message& what) const noexcept;
    void insert(position at, entry one);

    std::map<position, entry> ready_;
    std::size_t bytes_ = 0;
    std::uint64_t next_place_ = 0;
    std::uint64_t next_return_ = 0;
    consumer* active_ = nullptr;  ///< the single one
};

}  // namespace waybill::rabbitmq::fake
