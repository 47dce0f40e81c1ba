/// A little service of somebody else's: weighs parcels, at the second attempt, and says which were
/// sent.
#pragma once

#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <functional>
#include <string_view>
#include <utility>

struct parcel {
    unsigned id = 0;
    unsigned grams = 0;
};

struct sent {
    static constexpr std::string_view address = "sent";
    unsigned id = 0;
};

inline waybill::reply<sent> weigh(const parcel& one, waybill::attempt number) {
    if (one.grams > 30'000) return waybill::drop();
    if (number < 2) return waybill::retry();
    return sent{one.id};
}

inline waybill::app parcels(const waybill::memory::server& at, std::function<void(unsigned)> told) {
    waybill::app app{"parcels", "1.0"};
    auto& broker = app.broker(waybill::memory::broker{at});
    broker.subscribe(waybill::memory::queue("parcels"), weigh).max_attempts(3).dead_letter("lost");
    broker.subscribe(waybill::memory::queue("sent"),
                     [told = std::move(told)](const sent& one) { told(one.id); });
    return app;
}
