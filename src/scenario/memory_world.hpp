/// The in-memory transport's server as a scenario's world: the production server itself.
#pragma once

#include "scenario/world.hpp"
#include <waybill/clock.hpp>
#include <waybill/memory.hpp>

#include <memory>

namespace waybill::scenario {

[[nodiscard]] std::unique_ptr<world> open_memory_world(const memory::options& how,
                                                       std::shared_ptr<manual_clock> time);

}  // namespace waybill::scenario
