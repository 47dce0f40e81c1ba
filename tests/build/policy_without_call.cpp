// expect: waybill: a failure policy is an outcome, as in waybill::drop(), or waybill::to_dead_letter
#include <waybill/waybill.hpp>

void wire(waybill::subscription& orders) { orders.on_undecodable(waybill::drop); }
