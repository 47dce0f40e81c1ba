// expect: waybill: a handler is given itself, not by pointer: std::ref(*pointer) for one that lives elsewhere
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct charge {
    void handle(const order&);
};

void wire(waybill::broker& broker, charge* one) {
    broker.subscribe(waybill::memory::queue("orders"), one);
}
