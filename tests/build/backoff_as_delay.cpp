// expect: waybill: say how the delays grow: waybill::backoff::fixed(delay), exponential(first, longest) or
#include <waybill/waybill.hpp>

void wire(waybill::subscription& orders) { orders.retry_backoff(std::chrono::seconds{10}); }
