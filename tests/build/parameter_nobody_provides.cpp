// expect: waybill: nothing can provide this handler parameter.
// expect: handler_parameter<1, warehouse&>

// A reference that the handler could change is no message, and nobody made a warehouse.
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};
class warehouse {
public:
    explicit warehouse(int);

private:
    int shelves_;
};

void charge(const order&, warehouse&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
