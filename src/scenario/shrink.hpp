/// Makes a file smaller as long as something remains true of it.
#pragma once

#include "scenario/json.hpp"

#include <cstddef>
#include <functional>

namespace waybill::scenario {

/// No single part of what comes back can be left out, and no number or duration in it be made
/// smaller, without `is_still_so` becoming false; unless `most_tries` were used up before. It is
/// true of `file`. Of any file: what is no scenario any more is simply not "still so".
[[nodiscard]] json::value shrink(json::value file,
                                 const std::function<bool(const json::value&)>& is_still_so,
                                 std::size_t most_tries = 20'000);

}  // namespace waybill::scenario
