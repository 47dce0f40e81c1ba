// expect: waybill: a handler takes one message; two of its parameters would both have to be
// expect: decoded from the payload. Put both into one type
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};
struct customer {
    unsigned id;
};

void charge(const order&, const customer&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
