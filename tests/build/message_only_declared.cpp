// expect: handler_parameter<0, const order&>
// expect: waybill: the type of this handler parameter is only declared here: include the header that defines it
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order;

void charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
