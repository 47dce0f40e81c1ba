// expect: waybill: a settlement is used once, and says so: std::move(s).ack()
#include <waybill/waybill.hpp>

void settle(waybill::settlement s) { s.ack(); }
