/// Passes over a JSON value that nobody reads.
#pragma once

#include "json_failure.hpp"

#include <simdjson.h>

namespace waybill {

inline constexpr int max_json_depth = 64;

/// Keys, colons, commas and brackets are held to the grammar; of numbers and literals only the
/// first character is looked at. `depth` counts the containers round the value, which must not have
/// been touched yet. False after a failure.
[[nodiscard]] bool skip_json(simdjson::ondemand::value& from, int depth, json_failure& failure);

}  // namespace waybill
