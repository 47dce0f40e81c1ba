/// The `topology` of a file: exchanges, queues and bindings that the service declares at its start.
#pragma once

#include "scenario/fields.hpp"
#include "scenario/rabbitmq_options.hpp"

#include <string>

namespace waybill::scenario {

void read_topology(const entry& from, rabbitmq_options& into);
/// `{"exchange": "x", "key": "k"}` as the text of an address; the exchange "" is the default one.
[[nodiscard]] std::string read_exchange_key(fields& from);
/// With the bindings that name it and no queue of the topology's.
void bind_loosely(rabbitmq::queue& what, std::string_view name, const rabbitmq_options& how);

}  // namespace waybill::scenario
