// expect: only a success means that the broker has the message
// also: -Werror
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void send(const waybill::publisher& to) { to.publish("orders", order{1}); }
