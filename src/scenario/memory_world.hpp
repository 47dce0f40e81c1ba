/// The memory transport's server of one run.
#pragma once

#include "scenario/world.hpp"
#include <waybill/clock.hpp>
#include <waybill/memory.hpp>

#include <memory>

namespace waybill::scenario {

/// A server of its own, on that clock.
[[nodiscard]] std::unique_ptr<world> open_memory_world(const memory::options& how,
                                                       std::shared_ptr<manual_clock> time);

}  // namespace waybill::scenario
