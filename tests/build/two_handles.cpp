// expect: waybill: this is no handler.
// expect: an object with exactly one handle(...) that is public and neither overloaded nor a
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct charge {
    void handle(const order&);
    void handle(const order&, waybill::attempt);
};

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge{}); }
