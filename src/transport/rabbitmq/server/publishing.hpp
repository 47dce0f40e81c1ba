/// A publish as it comes in: what the server looks at before it routes it.
#pragma once

#include "transport/rabbitmq/server/message.hpp"
#include "transport/rabbitmq/server/vhost.hpp"
#include "transport/rabbitmq/wire.hpp"

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace waybill::rabbitmq::fake {

/// Owns what a client hands over for the length of a call.
struct incoming {
    explicit incoming(const publication& what);

    std::string exchange;
    std::string key;
    headers with;
    std::vector<std::byte> body;
    bool mandatory;
};

/// The message that is routed, or why the channel is closed. `user`: whose connection it is.
[[nodiscard]] std::expected<message, refusal> accept(incoming what, const vhost& in,
                                                     std::string_view user,
                                                     const server_options& how);

}  // namespace waybill::rabbitmq::fake
