// expect: waybill: a time needs a unit: 30s or 250ms
#include <waybill/testing.hpp>

void use(waybill::test_app& tb) { tb.advance(30); }
