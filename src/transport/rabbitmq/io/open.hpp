/// Opening one connection by rabbitmq-c: TCP or TLS, the protocol's handshake, the login.
///
/// Guarantee: waits `connection_timeout` at most for all of it together (looking a name up may take
/// the system longer).
/// No text holds a credential.
#pragma once

#include "transport/rabbitmq/io/socket.hpp"
#include "transport/rabbitmq/settings.hpp"
#include <waybill/byte_buffer.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace waybill::rabbitmq::io {

struct opened {
    byte_stream stream;
    server_facts server;
    std::chrono::seconds heartbeat{};  ///< agreed upon; 0: none
    byte_buffer early;  ///< frames that the server sent before the library let go of it
};

struct open_failure {
    bool retrying_helps = true;
    std::string what;  ///< a sentence without its full stop
    std::string fix;
};

[[nodiscard]] std::expected<opened, open_failure> open_one(const connection_settings& to,
                                                           const host_port& host,
                                                           std::string_view name);

}  // namespace waybill::rabbitmq::io
