/// Scenarios by chance, over the whole format.
#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>
#include <string_view>

namespace waybill::scenario {

/// That of this run of a seed: the same everywhere and at all times. It ends by itself after some
/// hundred deliveries, and its service is hardly ever refused. The transport has a kit.
[[nodiscard]] scenario make_up(std::uint64_t seed, std::uint64_t run, std::string_view transport);

}  // namespace waybill::scenario
