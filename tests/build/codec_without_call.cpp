// expect: to 'waybill::codec'
// clang: no viable conversion from 'codec (cbor_options)'
#include <waybill/waybill.hpp>

void wire(waybill::subscription& orders) { orders.codec(waybill::codecs::cbor); }
