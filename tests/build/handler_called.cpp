// expect: waybill: this is what a handler answers: give the handler itself, without calling it
// expect: not_a_handler<waybill::outcome>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

waybill::outcome charge(const order&);

void wire(waybill::broker& broker) {
    broker.subscribe(waybill::memory::queue("orders"), charge(order{1}));
}
