// expect: waybill: out<...> lists a type twice
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::out<order, order>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
