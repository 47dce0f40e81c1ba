// expect: waybill: this reply views what may be gone when it is written, which is after the handler
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct receipt {
    std::string_view text;
};

waybill::reply<receipt> charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
