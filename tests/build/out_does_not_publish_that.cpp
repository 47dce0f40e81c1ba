// expect: waybill: this out<...> does not list that type: add it to the handler's parameter
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};
struct invoice {
    unsigned id;
};

void wire(waybill::broker& broker) {
    broker.subscribe(waybill::memory::queue("orders"),
                     [](const order& o, waybill::out<invoice> out) { out.publish(order{o.id}); });
}
