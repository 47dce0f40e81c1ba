// expect: waybill: a settlement is used once, and says so: std::move(s).ack()
#include <waybill/settlement.hpp>

void settle(waybill::settlement s) { s.retry_after(std::chrono::seconds{30}); }
