/// The payments service with an audience: the app that `payments::make_app` makes, a provider that
/// answers by the input's scripts, and readers of the addresses where messages end.
#pragma once

#include "demo/events.hpp"
#include "demo/input.hpp"
#include <waybill/app.hpp>
#include <waybill/clock.hpp>
#include <waybill/memory.hpp>

#include <memory>
#include <span>

namespace demo {

/// The app is on this clock. What happens goes into `seen`, which outlives the app.
waybill::app make_app(std::span<const request_line> lines, const waybill::memory::server& at,
                      const std::shared_ptr<waybill::clock>& time, event_queue& seen);

/// Publishes as a client of the service would: a request as CBOR, any other line as it is.
void publish(const request_line& line, const waybill::memory::server& to);

/// Messages that have not ended: queued, in hand or waiting for their time.
std::size_t in_broker(const waybill::memory::server& at);

}  // namespace demo
