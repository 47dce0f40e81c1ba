// expect: waybill: a handler is called as an lvalue, again and again: leave && and
// expect: volatile out of its handle(...) or operator()
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct charge {
    void handle(const order&) &&;
};

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge{}); }
