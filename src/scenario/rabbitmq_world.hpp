/// The fake RabbitMQ server as a scenario's world.
#pragma once

#include "scenario/scenario.hpp"
#include "scenario/world.hpp"
#include <waybill/clock.hpp>

#include <memory>

namespace waybill::scenario {

/// `told` outlives it.
[[nodiscard]] std::unique_ptr<world> open_rabbitmq_world(const scenario& told,
                                                         std::shared_ptr<manual_clock> time);

}  // namespace waybill::scenario
