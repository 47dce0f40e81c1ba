/// Plays a scenario: the production runtime on the virtual clock, step by step.
///
/// Guarantee: the same scenario gives the same trace to the byte. No thread, no socket, no sleep;
/// ends after so many deliveries at the latest. Belongs to one thread.
#pragma once

#include "scenario/scenario.hpp"
#include "scenario/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waybill::scenario {

inline constexpr std::uint64_t most_deliveries = 1'000'000;

struct result {
    summary totals;
    std::vector<error> problems;  ///< why the service was refused; then nothing was run
    std::string gave_up;          ///< why the run could not go on to its end; else empty
    /// The law, and the ledger: empty when all is as it must be.
    std::vector<std::string> lost;
    std::vector<std::string> invented;
    std::vector<std::string> broken;
};

/// `told.transport` has a kit. Each line of the trace goes to `to` when it happens. Above `most`
/// deliveries it gives up.
[[nodiscard]] result play(const scenario& told, trace::sink to,
                          std::uint64_t most = most_deliveries);

}  // namespace waybill::scenario
