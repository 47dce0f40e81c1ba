/// Which servers stand where in this process: by host and port.
///
/// A server is there as long as somebody holds it: a test's handle, a connector, a connection.
#pragma once

#include "transport/rabbitmq/server/server.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <memory>
#include <vector>

namespace waybill::rabbitmq::fake {

/// Thread-safe. @{
[[nodiscard]] std::shared_ptr<server> find_server(const host_port& at);
/// The one that stands there, or this one from now on.
std::shared_ptr<server> find_or_put(const std::vector<host_port>& at,
                                    const std::shared_ptr<server>& made);
/// @}

}  // namespace waybill::rabbitmq::fake
