/// The memory transport in scenarios.
#pragma once

#include "scenario/kit.hpp"
#include <waybill/memory.hpp>

namespace waybill::scenario {

struct memory_broker final : broker_options {
    memory::options how;
};

[[nodiscard]] const kit& memory_kit() noexcept;

}  // namespace waybill::scenario
