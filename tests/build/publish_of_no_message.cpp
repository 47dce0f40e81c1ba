// expect: waybill: this is no message: publish a plain struct declared outside of functions
// expect: no_message<std::pair<int, int>
#include <waybill/waybill.hpp>

void send(const waybill::publisher& to) { (void)to.publish("orders", std::pair{1, 2}); }
