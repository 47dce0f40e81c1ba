// expect: waybill: nothing can provide this handler parameter.
// expect: the raw payload as std::span<const std::byte>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

void charge(std::span<std::byte>);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
