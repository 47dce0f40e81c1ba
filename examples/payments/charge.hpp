/// The one thing the service does, in the two forms that a handler can have.
#pragma once

#include "gateway.hpp"
#include "messages.hpp"
#include <waybill/reply.hpp>
#include <waybill/state.hpp>

#include <chrono>

namespace payments {

/// How long a busy provider asks its callers to wait.
inline constexpr std::chrono::seconds backoff{1};

/// Charges an order through the payment provider and answers `paid`. Busy: again in a second.
/// Unavailable: again at once. Declined: dropped, with a warning.
waybill::reply<paid> charge(const payment_request& request, waybill::state<gateway> provider);

/// The same as a class, for a handler that has something of its own to keep.
class charger {
public:
    waybill::reply<paid> handle(const payment_request& request,
                                waybill::state<gateway> provider) const;
};

}  // namespace payments
