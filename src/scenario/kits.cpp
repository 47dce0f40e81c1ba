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

std::string transports_in_words() {
    std::string text;
    for (const auto each : names) {
        if (!text.empty()) text += ", ";
        text += each;
    }
    return text;
}

}  // namespace waybill::scenario
