// expect: waybill: a handler that takes a settlement returns void:
// expect: it answers through the settlement
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

waybill::outcome charge(const order&, waybill::settlement);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
