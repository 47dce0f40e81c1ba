// expect: waybill: a handler returns void (ack), waybill::outcome or, to answer with a T, waybill::reply<T>
// expect: waybill::outcome (*)()
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void wire(waybill::broker& broker) {
    broker.subscribe(waybill::memory::queue("orders"), [](const order&) { return waybill::retry; });
}
