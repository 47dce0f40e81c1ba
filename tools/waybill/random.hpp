/// `waybill simulate --random`: plays scenarios by chance and looks for faults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace waybill::tool {

struct random_options {
    std::uint64_t seed = 0;
    std::optional<std::uint64_t> runs;  ///< none: one, whose trace is printed
    std::string transport = "memory";
    bool text = false;
};

/// The exit code: 0 all was well, 1 a fault was found (its smallest scenario is printed, and
/// written to ./waybill-random-SEED-RUN.json), 2 refused. The same seed always finds the same.
int simulate_random(const random_options& how);

}  // namespace waybill::tool
