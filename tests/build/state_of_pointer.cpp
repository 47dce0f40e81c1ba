// expect: waybill: state<T> lends the T itself: name the type without &, * and smart pointer, also where
// expect: state<std::shared_ptr<till>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct till {
    int cents = 0;
};

void charge(const order&, waybill::state<std::shared_ptr<till>>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
