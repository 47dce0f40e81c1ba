// expect: waybill: this is no message:
// expect: in tests by publish_raw
#include <waybill/testing.hpp>

void use(waybill::test_app& tb) { tb.publish("orders", R"({"id": 1})"); }
