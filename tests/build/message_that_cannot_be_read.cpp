// expect: waybill: this type cannot be read or written: use a number, bool, std::string, enum,
// expect: described_type<int*>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    int* id = nullptr;
};

void charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
