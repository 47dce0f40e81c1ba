/// Scenarios on RabbitMQ.
#pragma once

#include "scenario/kit.hpp"

namespace waybill::scenario {

[[nodiscard]] const kit& rabbitmq_kit() noexcept;

}  // namespace waybill::scenario
