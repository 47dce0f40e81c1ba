/// The server of one run: what the runner does to it from outside of the service.
#pragma once

#include "scenario/scenario.hpp"
#include "scenario/tag.hpp"
#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>

#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// Belongs to the thread of the run. Time is the run's paused clock, which nobody but the runner
/// moves.
class world {
public:
    /// A message by the headers that it was published with, in a queue by its name. Fan-out readers
    /// have a queue each.
    using visitor =
        std::function<void(const std::string& queue, std::span<const std::byte> packed_headers)>;

    virtual ~world() = default;

    /// What `app.broker(...)` takes, in each process of the service.
    [[nodiscard]] virtual std::shared_ptr<const detail::broker_config> config() const = 0;

    /// Is the service connected to it by connections of its own, which fall and are opened again?
    /// Else the runner cuts the way between them while the server cannot be reached.
    [[nodiscard]] virtual bool is_remote() const noexcept { return false; }

    /// A real server, in real time: what is told of the service may come later than it happened,
    /// and a fault may bring a message twice.
    [[nodiscard]] virtual bool is_live() const noexcept { return false; }

    /// How often a message may come back from a reader's hand and still stand before what was
    /// published after it.
    [[nodiscard]] virtual std::uint64_t returns_in_place() const {
        return std::numeric_limits<std::uint64_t>::max();
    }

    /// What tells messages of this run from others that the server may have.
    [[nodiscard]] virtual tag::run_number run() const noexcept { return tag::the_only_run; }

    /// What a careful publisher adds to a message that does not say it.
    virtual void complete(headers& /*with*/) const {}
    /// A message from outside. The error says why the server did not take it.
    virtual std::expected<void, error> publish(const outgoing_view& message) = 0;
    /// The queues that would each get a copy of it if it were published now.
    [[nodiscard]] virtual std::vector<std::string> reached_by(const outgoing_view& message) = 0;
    /// The queue that a subscription of this source takes from; `reader` is its identity.
    [[nodiscard]] virtual std::string queue_of(const source& from,
                                               std::string_view reader) const = 0;

    /// A process of the service is about to begin.
    virtual void begins() {}
    /// The connections fall: what the service has in hand is stale, and comes again.
    virtual void drop_connections() = 0;
    /// The server can be reached again.
    virtual void reconnect() {}
    /// The service's process was killed.
    virtual void killed() = 0;
    /// The service's next publishes to this address are not taken.
    virtual void fail_publishes(std::string_view address, std::uint64_t times) = 0;
    /// The address disappears with what is ready there, which is visited.
    virtual void remove(std::string_view address, const visitor& visit) = 0;
    virtual void restart() = 0;

    /// When the server itself wants `tick`.
    [[nodiscard]] virtual std::optional<nanoseconds> next_due() const = 0;
    /// Lets one thing happen whose time has come.
    virtual void tick(nanoseconds now) = 0;

    /// What is ready, by the address that it was sent to, with what queues of patterns hold in
    /// all.
    [[nodiscard]] virtual std::map<std::string, std::uint64_t> queued() const = 0;
    /// Messages whose time has not come.
    [[nodiscard]] virtual std::uint64_t waiting() const = 0;
    /// Told of each message that the server drops by a policy of its own: a limit, an expiry.
    virtual void watch_removals(visitor told) = 0;
    /// Told of each message that the server itself moves from one queue to another, its dead
    /// letters; `is_settled`: the service has given it up.
    struct movement {
        std::string_view from;
        std::string_view to;
        bool is_settled = false;
        std::span<const std::byte> packed_headers;
    };
    virtual void watch_moves(std::function<void(const movement&)> /*told*/) {}
    /// Takes out all that is ready or waits, when the service has gone for good.
    virtual void drain(const visitor& visit) = 0;
};

}  // namespace waybill::scenario
