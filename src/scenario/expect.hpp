/// Holds what came out of a run against what a file expects.
#pragma once

#include "scenario/runner.hpp"
#include "scenario/scenario.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace waybill::scenario {

/// Looks for the lines of `expect.trace` while they come by.
class trace_match {
public:
    explicit trace_match(const std::vector<json::value>& wanted) : wanted_{&wanted} {}

    void see(const json::value& line);
    /// The first that did not come, by its place; nothing when all did.
    [[nodiscard]] std::optional<std::size_t> missing() const {
        return next_ < wanted_->size() ? std::optional{next_} : std::nullopt;
    }

private:
    const std::vector<json::value>* wanted_;
    std::size_t next_ = 0;
};

/// The first difference, in words; empty when there is none.
[[nodiscard]] std::string first_difference(const expectation& wanted, const result& came,
                                           const trace_match& lines);

}  // namespace waybill::scenario
