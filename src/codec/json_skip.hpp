/// Passes over a JSON value that nobody reads.
#pragma once

#include "json_failure.hpp"

#include <simdjson.h>

namespace waybill {

inline constexpr int max_json_depth = 64;

/// Passes over one value, which must not have been touched yet; one deeper than level `deepest` may
/// not be an array or object. False after a failure.
using json_skip = bool(ondemand::value& from, int deepest, json_failure& failure);

/// Keys, colons, commas and brackets are held to the grammar; of numbers and literals only the
/// first character is looked at, and escapes are not.
json_skip skip_json;

/// Everything is held to the grammar.
json_skip skip_json_strictly;

}  // namespace waybill
