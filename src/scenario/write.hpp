/// Writes scenarios as files.
#pragma once

#include "scenario/json.hpp"
#include "scenario/scenario.hpp"

#include <string>

namespace waybill::scenario {

/// A file that `read` makes the same scenario of; what is as by default is left out. Text and
/// payloads under `handler_for` that are not UTF-8 have no place in a file.
[[nodiscard]] json::value write(const scenario& told);

/// Over several lines, with what fits on one line on one.
[[nodiscard]] std::string to_pretty_text(const json::value& what);

}  // namespace waybill::scenario
