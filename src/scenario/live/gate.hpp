/// The way of a live service to its server: passes bytes on, and can be shut.
///
/// Listens on loopback, at a port of its own, for as long as it lives. While it is shut it keeps
/// the port, and every connection that comes is cut at once. Has a thread; the functions may be
/// called by any other.
#pragma once

#include "transport/rabbitmq/settings.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace waybill::scenario {

class gate {
public:
    /// Throws std::system_error where it cannot listen.
    explicit gate(std::vector<rabbitmq::host_port> servers);
    ~gate();
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;
    /// Every connection is cut, and so is each that comes until `open`.
    void shut();
    void open();
    /// How many connections stand.
    [[nodiscard]] std::size_t connections() const;

private:
    class engine;
    std::unique_ptr<engine> engine_;
};

}  // namespace waybill::scenario
