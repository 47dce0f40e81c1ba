// expect: waybill: nothing can provide this handler parameter.
// expect: Take a message as const T& (a plain aggregate,
// expect: handler_parameter<0, const order&>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

class order {
public:
    order();

private:
    unsigned id_;
};

void charge(const order&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
