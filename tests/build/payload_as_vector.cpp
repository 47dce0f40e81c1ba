// expect: waybill: a message is lent to its handler: take it as const T&
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

void charge(std::vector<std::byte>&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
