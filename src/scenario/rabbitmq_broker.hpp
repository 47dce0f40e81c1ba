/// The broker that a file's service is configured with, and what the file names on the server.
#pragma once

#include "scenario/scenario.hpp"
#include <waybill/rabbitmq.hpp>

#include <set>
#include <string>
#include <string_view>

namespace waybill::scenario {

/// Every address that the file names: of steps, subscriptions and handlers.
[[nodiscard]] std::set<std::string> addresses_of(const scenario& told);
/// The queues that the service declares: those of the topology, and each that the file names,
/// but for sources and dead letters, which are declared by whoever has them.
[[nodiscard]] rabbitmq::broker rabbitmq_broker_of(const scenario& told, std::string_view url);
/// Does a name belong to a queue in which copies wait?
[[nodiscard]] bool is_waiting_queue(std::string_view name);
/// Where what waits in such a queue goes: one of these addresses, or "".
[[nodiscard]] std::string origin_of(std::string_view waiting_queue, std::string_view vhost,
                                    const std::set<std::string>& addresses);

}  // namespace waybill::scenario
