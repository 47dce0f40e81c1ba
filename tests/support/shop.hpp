/// A small service for tests: one subscription "charge" on the queue "orders" of a memory server,
/// whose answers the test gives by the number of the delivery.
#pragma once

#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace support {

using answers = std::function<waybill::outcome(std::uint32_t)>;

/// A server that neither counts nor delays: every retry is a copy.
inline constexpr waybill::memory::options copies_only{.counts = waybill::memory::counting::none,
                                                      .delays = false};

/// With a cap there is the dead letter "orders.dead". A cap of 0 is none.
inline waybill::app shop(const waybill::memory::server& at, answers answer, std::int64_t cap,
                         const std::function<void(waybill::subscription&)>& declare = {}) {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    auto& charge =
        broker.subscribe(waybill::memory::queue("orders"),
                         [answer = std::move(answer)](std::span<const std::byte>,
                                                      waybill::attempt n) { return answer(n); });
    charge.name("charge");
    if (cap != 0) charge.max_attempts(cap).dead_letter("orders.dead");
    if (declare) declare(charge);
    return app;
}

inline answers always(waybill::outcome answer) {
    return [answer](std::uint32_t) { return answer; };
}

/// The attempts that the handler of "charge" saw.
inline std::vector<std::uint32_t> attempts(const waybill::test_app& tb) {
    std::vector<std::uint32_t> all;
    for (const auto& call : tb.calls("charge")) all.push_back(call.attempt);
    return all;
}

/// When it ran.
inline std::vector<std::chrono::nanoseconds> times(const waybill::test_app& tb) {
    std::vector<std::chrono::nanoseconds> all;
    for (const auto& call : tb.calls("charge")) all.push_back(call.at);
    return all;
}

/// The payloads that it saw, one behind the other.
inline std::string payloads(const waybill::test_app& tb) {
    std::string all;
    for (const auto& call : tb.calls("charge")) {
        all.append(reinterpret_cast<const char*>(call.payload.data()), call.payload.size());
    }
    return all;
}

/// What the runtime did not add: the headers as they arrived.
inline waybill::headers without_ours(const waybill::headers& all) {
    waybill::headers rest;
    for (const auto& entry : all) {
        if (!entry.name.starts_with("waybill-")) rest.append(entry.name, entry.value);
    }
    return rest;
}

}  // namespace support
