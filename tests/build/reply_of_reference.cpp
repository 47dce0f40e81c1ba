// expect: waybill: reply<T> holds the answer: name the type without const and &
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

waybill::reply<const order&> charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
