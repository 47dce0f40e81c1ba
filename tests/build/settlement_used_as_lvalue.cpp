// expect: passing 'waybill::settlement' as 'this' argument discards qualifiers
// clang: 'this' argument to member function 'ack' is an lvalue, but function has rvalue ref-qualifier
#include <waybill/waybill.hpp>

void settle(waybill::settlement s) { s.ack(); }
