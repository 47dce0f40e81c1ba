// expect: waybill: a handler returns void (ack), waybill::outcome or, to answer with a T, waybill::reply<T>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct receipt {
    unsigned id;
};

receipt charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
