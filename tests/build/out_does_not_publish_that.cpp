// expect: no matching function for call to 'waybill::out<invoice>::publish(order)'
// clang: no matching member function for call to 'publish'
// clang: because 'std::is_same_v<order, invoice>' evaluated to false
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
