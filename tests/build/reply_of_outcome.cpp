// expect: waybill: a handler without an answering message returns waybill::outcome or void; reply<T> is for
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

waybill::reply<waybill::outcome> charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
