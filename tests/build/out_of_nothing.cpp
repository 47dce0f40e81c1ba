// expect: waybill: out<...> lists the types that the handler publishes
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::out<>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
