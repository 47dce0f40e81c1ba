// expect: waybill: this type names no address: say where it goes, as in publish(address, value)
// expect: no_address<order>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void send(const waybill::publisher& to) { (void)to.publish(order{1}); }
