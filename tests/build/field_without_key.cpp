// expect: waybill: field<Key> takes the key of a transport's property: a class with a type and a static type
// expect: field<int>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::field<int>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
