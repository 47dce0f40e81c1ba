// expect: waybill: a handler takes one settlement
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

void charge(waybill::settlement, waybill::settlement);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
