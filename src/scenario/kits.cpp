#include "scenario/kit.hpp"
#include "scenario/memory_kit.hpp"

#include <array>

namespace waybill::scenario {
namespace {

constexpr std::array<std::string_view, 1> names{"memory"};

}  // namespace

const kit* kit_for(std::string_view transport) noexcept {
    return transport == names[0] ? &memory_kit() : nullptr;
}

std::span<const std::string_view> transports() noexcept { return names; }

}  // namespace waybill::scenario
