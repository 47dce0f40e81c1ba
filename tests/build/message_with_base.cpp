// expect: waybill: a message cannot have a base class: make the base a member
// expect: reflected_type<order>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct numbered {
    unsigned id = 0;
};
struct order : numbered {
    unsigned cents = 0;
};

void charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
