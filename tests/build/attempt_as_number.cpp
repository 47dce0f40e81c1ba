// expect: waybill: a handler takes one message; two of its parameters would both have to be decoded
// expect: the number of the delivery is waybill::attempt
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, unsigned attempt);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
