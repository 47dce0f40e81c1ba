/// What the server sends, as a line of a trace.
#pragma once

#include "transport/rabbitmq/server/channel.hpp"

#include <string>

namespace waybill::rabbitmq::fake {

[[nodiscard]] std::string words_of(const news::any& what);

/// The channel it is about; 0: the connection.
[[nodiscard]] channel_id channel_of(const news::any& what);

}  // namespace waybill::rabbitmq::fake
