/// Passes over a JSON value that nobody reads.
#pragma once

#include "json_failure.hpp"

#include <simdjson.h>

namespace waybill {

inline constexpr int max_json_depth = 64;

/// Keys, colons, commas and brackets are held to the grammar; of numbers and literals only the
/// first character is looked at. The value must not have been touched yet; one deeper than level
/// `deepest` may not be an array or object. False after a failure.
[[nodiscard]] bool skip_json(ondemand::value& from, int deepest, json_failure& failure);

}  // namespace waybill
