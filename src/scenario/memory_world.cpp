#include "scenario/memory_world.hpp"

namespace waybill::scenario {

std::unique_ptr<world> open_memory_world(const memory::options&, std::shared_ptr<manual_clock>) {
    return nullptr;
}

}  // namespace waybill::scenario
