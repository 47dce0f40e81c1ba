#include "charge.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace payments {

waybill::reply<paid> charge(const payment_request& request, waybill::state<gateway> provider) {
    switch (provider->charge(request)) {
        case answer::ok:
            return paid{request.order, request.customer, request.lines};
        // Past the rate limit: a redelivery right now would be refused again.
        case answer::busy:
            return waybill::retry_after(backoff);
        // No answer: try again at once, up to the cap.
        case answer::unavailable:
            return waybill::retry();
        // A refused card stays refused.
        case answer::declined:
            spdlog::warn("card declined, payment dropped order={}", request.order);
            return waybill::drop();
    }
    std::unreachable();
}

waybill::reply<paid> charger::handle(const payment_request& request,
                                     waybill::state<gateway> provider) const {
    switch (provider->charge(request)) {
        case answer::ok:
            return paid{request.order, request.customer, request.lines};
        case answer::busy:
            return waybill::retry_after(backoff);
        case answer::unavailable:
            return waybill::retry();
        case answer::declined:
            spdlog::warn("card declined, payment dropped order={}", request.order);
            return waybill::drop();
    }
    std::unreachable();
}

}  // namespace payments
