// expect: waybill: a time needs a unit: 30s or 250ms
#include <waybill/waybill.hpp>

void wire(waybill::subscription& orders) { orders.retry_backoff(waybill::backoff::fixed(10)); }
