// expect: waybill: this type names no address
#include <waybill/testing.hpp>

struct order {
    unsigned id;
};

void use(waybill::test_app& tb) { tb.publish(order{1}); }
