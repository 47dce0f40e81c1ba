// expect: waybill: this is no handler.
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct charge {
    template <class T>
    void handle(const T&);
};

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge{}); }
