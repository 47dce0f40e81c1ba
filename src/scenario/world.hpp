/// The server of one run: what the runner does to it from outside of the service.
#pragma once

#include "scenario/scenario.hpp"
#include <waybill/detail/transport.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// Belongs to the thread of the run. Time is the run's paused clock.
class world {
public:
    virtual ~world() = default;

    /// What `app.broker(...)` takes, for each new process of the service.
    [[nodiscard]] virtual std::shared_ptr<detail::broker_config> config() = 0;

    /// A message from outside. The error is that the server did not take it.
    virtual std::expected<void, error> publish(const outgoing_view& message) = 0;
    /// What would get a copy of what is published there now: the names of readers or queues, one
    /// for each copy. Empty: nobody would, and it is not kept either.
    [[nodiscard]] virtual std::vector<std::string> reached_by(std::string_view address) const = 0;
    /// Keeps what is sent to this address for `queued`, where the server would not by itself.
    virtual void keep(std::string_view address) = 0;

    /// The connections fall: what the service has in hand is stale and comes again.
    virtual void drop_connections() = 0;
    /// The service's process was killed.
    virtual void killed() = 0;
    virtual void fail_publishes(std::string_view address, std::uint64_t times) = 0;
    virtual void remove(std::string_view address) = 0;
    virtual void restart() = 0;

    /// What is ready at an address, and in no reader's hand.
    [[nodiscard]] virtual std::uint64_t queued(std::string_view address) const = 0;
    /// Messages whose time has not come.
    [[nodiscard]] virtual std::uint64_t waiting() const = 0;
};

}  // namespace waybill::scenario
