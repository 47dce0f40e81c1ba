#include "demo/stage.hpp"

#include "scripted_gateway.hpp"
#include "service.hpp"
#include <waybill/codec.hpp>

#include <mutex>
#include <stdexcept>
#include <unordered_map>

namespace demo {

using payments::answer;
using payments::payment_request;

namespace {

constexpr std::string_view line_header = "line";

std::size_t line_of(const waybill::headers& with) {
    const auto value = with.find(line_header);
    return value ? static_cast<std::size_t>(value->unsigned_integer().value_or(0)) : 0;
}

/// The message that this thread's handler has in hand. Two requests may have one order number, so
/// the number does not tell the provider which script to follow.
thread_local std::size_t line_at_hand = 0;
thread_local answer last_answer = answer::ok;

class provider final : public payments::gateway {
public:
    explicit provider(std::span<const request_line> lines) {
        for (const auto& each : lines)
            scripts_.emplace(each.number, payments::script{each.answers});
    }

    answer charge(const payment_request&) override {
        const std::lock_guard lock{mutex_};
        const auto found = scripts_.find(line_at_hand);
        return last_answer = found == scripts_.end() ? answer::ok : found->second.next();
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::size_t, payments::script> scripts_;
};

/// The service's handler, looked at.
auto watched_charge(const std::shared_ptr<waybill::clock>& time, event_queue& seen) {
    return [time, &seen](const payment_request& request, waybill::state<payments::gateway> gateway,
                         const waybill::headers& with) -> waybill::reply<payments::paid> {
        line_at_hand = line_of(with);
        auto result = payments::charge(request, gateway);
        seen.put(handled{line_at_hand, request.order, last_answer, result.answer(),
                         result.has_value(), time->now()});
        return result;
    };
}

}  // namespace

waybill::app make_app(std::span<const request_line> lines, const waybill::memory::server& at,
                      const std::shared_ptr<waybill::clock>& time, event_queue& seen) {
    auto app = payments::make_app(std::make_shared<provider>(lines),
                                  payments::routes_with(watched_charge(time, seen)), at);
    app.time(time);
    app.log_to([](std::string_view) {});
    auto& audience = app.broker(waybill::memory::broker{at});
    audience
        .subscribe(waybill::memory::queue(std::string{payments::paid::address}),
                   [time, &seen](const payments::paid& what) {
                       seen.put(paid_arrived{what.order, time->now()});
                   })
        .codec(waybill::codecs::cbor());
    audience.subscribe(
        waybill::memory::queue(std::string{payments::dead_letter}),
        [time, &seen](std::span<const std::byte> payload, const waybill::headers& with) {
            seen.put(
                dead_arrived{line_of(with), with, {payload.begin(), payload.end()}, time->now()});
        });
    return app;
}

void publish(const request_line& line, const waybill::memory::server& to) {
    waybill::headers with{{line_header, line.number}};
    std::expected<void, waybill::error> sent;
    if (line.request) {
        const auto cbor = waybill::codecs::cbor();
        with.append("content-type", cbor->content_type());
        auto payload = waybill::encode(cbor, *line.request);
        if (!payload) throw std::runtime_error{payload.error().message()};
        sent = to.publish(payment_request::address, *payload, with);
    } else {
        sent = to.publish(payment_request::address, std::string_view{line.text}, with);
    }
    if (!sent) throw std::runtime_error{sent.error().message()};
}

std::size_t in_broker(const waybill::memory::server& at) {
    // In the direction in which a message moves on, so that none is overlooked on its way.
    return at.waiting() + at.queued(payment_request::address) + at.unsettled() +
           at.queued(payments::paid::address) + at.queued(payments::dead_letter);
}

}  // namespace demo
