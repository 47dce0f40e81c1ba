#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <chrono>
#include <string>

using namespace std::chrono_literals;

struct refund {
    std::uint64_t id;
    std::string card;
    std::uint64_t amount_cents;
};

waybill::outcome process_refund(const refund& r, waybill::attempt n) {
    if (r.amount_cents == 0) return waybill::drop();
    if (n == 1) return waybill::retry_after(30s);
    return waybill::ack();
}

waybill::app make_app() {
    waybill::app app{"refunds", "0.1.0"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("refunds"), process_refund)
        .max_attempts(5)
        .dead_letter("refunds.dead");
    return app;
}

int main(int argc, char** argv) { return waybill::run_main(make_app, argc, argv); }
