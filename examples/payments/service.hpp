/// The payments service: how `charge` is wired, and the app it runs in.
#pragma once

#include "charge.hpp"
#include "gateway.hpp"
#include <waybill/app.hpp>
#include <waybill/memory.hpp>
#include <waybill/router.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace payments {

inline constexpr std::string_view dead_letter = "payments.dead";

/// The two forms of the handler behave alike.
enum class form { function, object };

/// The service's subscription with this handler: requests and replies in CBOR, five deliveries of
/// a message at most, then the dead letter.
template <class Handler>
waybill::router routes_with(Handler handler) {
    waybill::router group;
    group.codec(waybill::codecs::cbor());
    group
        .subscribe(waybill::memory::queue(std::string{payment_request::address}),
                   std::move(handler))
        .name("charge")
        .describe("Charges an order through the payment provider.")
        .max_attempts(5)
        .dead_letter(std::string{dead_letter});
    return group;
}

waybill::router routes(form as = form::function);

/// The whole service on a broker in memory. The provider is the app's state.
waybill::app make_app(std::shared_ptr<gateway> provider, waybill::router group = routes(),
                      const waybill::memory::server& at = {});

}  // namespace payments
