/// Where a message goes by what a service has declared: enough to see a ring of dead letters before
/// it turns. What others have declared on the server is not known here. Pure.
#pragma once

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/data.hpp"

#include <string_view>

namespace waybill::rabbitmq {

/// Does what is published there reach this queue? A binding to an exchange of headers is taken to
/// match.
[[nodiscard]] bool routes_to(const broker::data& declared, const queue::data& what,
                             std::string_view queue, const target& where);

}  // namespace waybill::rabbitmq
