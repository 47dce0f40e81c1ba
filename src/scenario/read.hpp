/// Reads scenario files (docs/scenarios.md).
#pragma once

#include "scenario/scenario.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// One thing that is wrong with a file.
struct mistake {
    std::string path;  ///< as in `$.subscriptions[0].max_attempts`; `$` for the whole file
    std::string what;  ///< what is wrong, and what would be right
};

/// What a file may hold at most, so that reading and running it end. A file above these is refused.
inline constexpr std::size_t most_bytes = 64U << 20U;
inline constexpr std::size_t most_steps = 1'000'000;
inline constexpr std::uint64_t most_messages = 1'000'000;  ///< of all steps, `times` counted

/// The scenario, or every mistake at once, in the order of the file. Never empty when refused.
/// Bounded in memory by the limits above, whatever the text is.
[[nodiscard]] std::expected<scenario, std::vector<mistake>> read(std::string_view text);

}  // namespace waybill::scenario
