// expect: waybill: this is no handler. A handler is a function, a lambda without auto parameters, or an
// expect: not_a_handler<charge>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct charge {
    void operate();
};

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge{}); }
