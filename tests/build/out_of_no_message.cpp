// expect: described_type<int*>
// expect: waybill: this type cannot be read or written
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct receipt {
    int* id = nullptr;
};

void charge(const order&, waybill::out<receipt>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
