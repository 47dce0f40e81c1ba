// expect: waybill: the address that a message type names is text: static constexpr
#include <waybill/waybill.hpp>

struct order {
    static constexpr int address = 5;
    unsigned id;
};

void send(const waybill::publisher& to) { (void)to.publish(order{1}); }
