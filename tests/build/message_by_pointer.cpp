// expect: waybill: a handler parameter is no pointer, as there is always something to lend: take a message
// expect: handler_parameter<0, const order*>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order*);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
