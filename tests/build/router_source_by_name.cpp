// expect: waybill: a name is no source: say which transport reads it, as in waybill::memory::queue("orders")
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&);

void wire(waybill::router& routes) { routes.subscribe("orders", charge); }
