/// What a subscription comes to on its transport: the one line that is said at start, in `describe`
/// and in a scenario's `started`, and the rules by which its deliveries are settled.
#pragma once

#include "settle/plan.hpp"
#include <waybill/declaration.hpp>
#include <waybill/detail/transport.hpp>

#include <string_view>

namespace waybill::wiring {

struct facts {
    std::string_view counted_by;  ///< broker+header, header
    std::string_view delays;      ///< broker, held, memory
    std::string_view kill_loses;  ///< nothing, waiting, unsettled, everything
    std::string_view crash_loop;  ///< bounded, unbounded
    bool stop_charges = false;
};

/// Does a delay of this subscription wait in the memory of the process?
[[nodiscard]] inline bool waits_in_memory(const detail::capabilities& can) noexcept {
    return can.delay == detail::delay_support::none && !can.delays_copies;
}

[[nodiscard]] facts facts_of(const declaration& declared, const detail::capabilities& can);

/// What the plan goes by. The declaration has passed the check.
[[nodiscard]] settle::rules rules_of(const declaration& declared, const detail::capabilities& can);

}  // namespace waybill::wiring
