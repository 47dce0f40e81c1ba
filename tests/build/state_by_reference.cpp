// expect: handler_parameter<1, waybill::state<till>&>
// expect: waybill: the handler cannot change what stands in this parameter
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct till {
    int cents = 0;
};

void charge(const order&, waybill::state<till>&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
