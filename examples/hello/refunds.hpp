#pragma once

#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

using namespace std::chrono_literals;

struct refund {
    std::uint64_t id;
    std::string card;
    std::uint64_t cents;
};

inline waybill::outcome process_refund(const refund& asked, waybill::attempt number) {
    if (asked.cents == 0) return waybill::drop();
    if (number == 1) return waybill::retry_after(30s);  // a bank that is busy at first
    return waybill::ack();
}

inline waybill::app make_app() {
    waybill::app app{"refunds", "0.1.0"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("refunds"), process_refund)
        .max_attempts(5)
        .dead_letter("refunds.dead");
    return app;
}
