// expect: waybill: state<T> lends the T itself: name the type without &, * and smart pointer
// expect: state<int&>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::state<int&>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
