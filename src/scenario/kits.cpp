#include "scenario/kit.hpp"
#include "scenario/memory_kit.hpp"
#include "scenario/rabbitmq_kit.hpp"
#include "scenario/values.hpp"

#include <array>

namespace waybill::scenario {
namespace {

constexpr std::array<std::string_view, 2> names{"memory", "rabbitmq"};

}  // namespace

json::value kit::write_value(const header_value& from) const { return value_of(from); }

json::object kit::properties_of(const headers& all) const {
    json::object made;
    for (const auto& each : all) {
        if (each.is_property()) {
            made.push_back({std::string{each.name.substr(1)}, write_value(each.value)});
        }
    }
    return made;
}

json::array kit::headers_of(const headers& all) const {
    json::array pairs;
    for (const auto& each : all) {
        if (each.is_property()) continue;
        pairs.push_back(json::array{each.name, write_value(each.value)});
    }
    return pairs;
}

const kit* kit_for(std::string_view transport) noexcept {
    if (transport == names[0]) return &memory_kit();
    return transport == names[1] ? &rabbitmq_kit() : nullptr;
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
