// expect: with exactly one handle(...) that is public
// expect: not_a_handler<charge>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

class charge {
    void handle(const order&);
};

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge{}); }
