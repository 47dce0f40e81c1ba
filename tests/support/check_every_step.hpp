/// How a test tells the stories of every_step.hpp on a path.
#pragma once

#include "every_step.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string_view>

namespace support {

/// Those of these names, or all. WAYBILL_EVERY_STEP=retry/copies/3/later/17/lost runs that one
/// alone.
inline void check_every_step(const tried_path& path, std::span<const std::string_view> of = {}) {
    const auto only = only_this_step();
    const auto report = every_step(path, only, of);
    CHECK_MESSAGE(report.problems.empty(), report.problems);
    if (only.empty()) CHECK(report.runs > (of.empty() ? 5000U : 500U * of.size()));
}

}  // namespace support
