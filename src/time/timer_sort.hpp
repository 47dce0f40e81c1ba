/// Sorts a few hundred timers at about 10 ns each.
///
/// Guarantee: the order of `fires_before`, for any entries; n log n comparisons at worst.
#pragma once

#include "time/timer_chunks.hpp"

#include <vector>

namespace waybill {

/// Sorts `entries`; `scratch` is memory to work in, kept by the caller from call to call.
void sort_timers(std::vector<timer_entry>& entries, std::vector<timer_entry>& scratch);

}  // namespace waybill
