// expect: waybill: a member function is no handler without its object: give the object that has the
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct charge {
    void handle(const order&);
};

void wire(waybill::broker& broker) {
    broker.subscribe(waybill::memory::queue("orders"), &charge::handle);
}
