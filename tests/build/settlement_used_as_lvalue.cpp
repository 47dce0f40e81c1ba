// expect: passing 'waybill::settlement' as 'this' argument discards qualifiers
#include <waybill/waybill.hpp>

void settle(waybill::settlement s) { s.ack(); }
