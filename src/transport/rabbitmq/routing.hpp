/// Where a message goes by what a service has declared: enough to see a ring of dead letters before
/// it turns. What others have declared on the server is not known here. Pure.
#pragma once

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/data.hpp"

#include <string_view>

namespace waybill::rabbitmq {

/// A topic exchange's rule: words between dots, `*` for one word, `#` for none or more.
[[nodiscard]] bool topic_matches(std::string_view pattern, std::string_view key);

/// Does what is published there reach this queue? A binding to an exchange of headers is taken to
/// match.
[[nodiscard]] bool routes_to(const broker::data& declared, const queue::data& what,
                             std::string_view queue, const target& where);

}  // namespace waybill::rabbitmq
