// expect: reflected_type<receipt>
// expect: waybill: a message must be copyable and assignable
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct receipt {
    std::unique_ptr<int> id;
};

waybill::reply<receipt> charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
