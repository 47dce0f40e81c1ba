// expect: waybill: out<...> lists plain types, without const and &
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&, waybill::out<const order>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
