// expect: waybill: this is no handler. A handler is a function, a lambda without auto parameters
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

void wire(waybill::broker& broker) {
    broker.subscribe(waybill::memory::queue("orders"), [](const auto&) {});
}
