// expect: handler_parameter<0, order&>
// expect: waybill: a message is lent to its handler: take it as const T&, or by value for a copy
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
