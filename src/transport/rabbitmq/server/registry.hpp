/// Which servers stand where in this process: by host and port.
///
/// A server is there as long as somebody holds it: a test's handle, a connector, a connection.
#pragma once

#include "transport/rabbitmq/server/server.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq::fake {

/// The hosts and the vhost of a URL; what else it says is not looked at.
struct place {
    std::vector<host_port> hosts;
    std::string vhost = "/";
};
[[nodiscard]] place place_of(std::string_view url);

/// Thread-safe. @{
[[nodiscard]] std::shared_ptr<server> find_server(const host_port& at);
/// The one that stands there, or this one from now on.
std::shared_ptr<server> find_or_put(const std::vector<host_port>& at,
                                    const std::shared_ptr<server>& made);
/// @}

}  // namespace waybill::rabbitmq::fake
