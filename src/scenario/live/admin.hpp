/// The runner's own connection to the server: publishes the steps' messages, and looks into queues.
#pragma once

#include "scenario/scenario.hpp"
#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/settings.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

class admin {
public:
    explicit admin(const rabbitmq::connection_settings& to) : to_{rabbitmq::make_connector(to)} {}

    /// Connects, or connects again, trying for so long; the error is the last one.
    std::expected<void, error> open(std::chrono::seconds at_most);
    [[nodiscard]] const rabbitmq::server_facts& server() const { return wire_->server(); }

    /// Confirmed; the error says why the server did not take it.
    std::expected<void, error> publish(const rabbitmq::target& where, const outgoing_view& message);
    /// Nothing where there is no such queue.
    [[nodiscard]] std::optional<rabbitmq::queue_state> look_at(const std::string& queue);
    [[nodiscard]] bool has_exchange(const std::string& name);
    void remove(const std::string& queue);
    /// Takes out everything that is ready.
    void drain(const std::string& queue,
               const std::function<void(std::span<const std::byte> packed_headers)>& visit);

private:
    class inbox;
    std::expected<void, error> open_once();
    rabbitmq::wire::answer<void> open_channels();

    std::unique_ptr<rabbitmq::connector> to_;
    std::unique_ptr<rabbitmq::wire> wire_;
};

}  // namespace waybill::scenario
