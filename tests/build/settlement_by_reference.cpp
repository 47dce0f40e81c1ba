// expect: a settlement by value
// expect: handler_parameter<0, waybill::settlement&>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

void charge(waybill::settlement&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
