/// What the declarations of a scenario mean in the worst case, without running anything.
#pragma once

#include "scenario/course.hpp"
#include "scenario/scenario.hpp"
#include "wiring/facts.hpp"
#include <waybill/error.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace waybill::scenario {

/// One subscription.
struct meaning {
    std::string name;
    const declaration* declared = nullptr;  ///< the scenario's, which outlives this
    wiring::facts said;
    /// A message that is never done: the handler answers as its list says, and `retry` where the
    /// list would end it. Of several lists, the one with the most deliveries, then the longest
    /// wait.
    course worst;
    course handler;                           ///< as the file's list answers
    std::map<bytes, course> for_payload{};    ///< the same for the lists of `handler_for`
    course throws;                            ///< a handler that throws every time
    std::optional<course> undecodable{};      ///< nothing where payloads are not decoded
    course crashes;                           ///< a handler that kills the process every time
    std::vector<std::string> copies_go_to{};  ///< subscriptions that read `retry_to`
};

struct explanation {
    std::vector<error> problems;  ///< why the service would be refused; then there is nothing more
    std::vector<meaning> subscriptions;
};

/// `told.transport` has a kit. Nothing is connected to, and no message is published.
[[nodiscard]] explanation explain(const scenario& told);

/// One object: `scenario`, `transport`, and a list of `subscriptions` or of `refused`.
[[nodiscard]] json::value as_json(const scenario& told, const explanation& what);
/// Whole sentences for people, in lines of at most 100 columns.
[[nodiscard]] std::string as_text(const scenario& told, const explanation& what, bool is_coloured);

}  // namespace waybill::scenario
