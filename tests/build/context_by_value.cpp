// expect: handler_parameter<1, waybill::context>
// expect: waybill: a handler takes the context by reference: context&
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::context);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
