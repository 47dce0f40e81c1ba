// expect: handler_parameter<1, waybill::headers&>
// expect: waybill: the handler cannot change what stands in this parameter: take it by value or as const T&
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::headers&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
