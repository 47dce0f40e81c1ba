// expect: waybill: a handler takes one message at a time, as const T&; the only span is the payload as it
// expect: handler_parameter<0, std::span<const order
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(std::span<const order>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
