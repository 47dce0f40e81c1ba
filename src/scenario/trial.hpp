/// Plays a scenario and asks whether all was as it must be whatever the scenario says: the ledger
/// balances, no law is broken, the run ends, and `retry` is `retry_after 0s`.
#pragma once

#include "scenario/scenario.hpp"
#include "scenario/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::scenario {

/// One thing that was not.
struct fault {
    enum class kind : std::uint8_t { lost, invented, broken, endless, unequal };
    kind what = kind::lost;
    std::string sentence;
};
[[nodiscard]] std::string_view name_of(fault::kind what) noexcept;

/// How often what happened in trials. By what the trace and the steps call it.
struct exercise {
    std::uint64_t runs = 0;
    counts events;

    void add(const exercise& other);
};

/// Nothing when all was well. A service that is refused is well, and counted.
[[nodiscard]] std::optional<fault> try_out(const scenario& told, exercise& into);

}  // namespace waybill::scenario
