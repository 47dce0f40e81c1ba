// expect: waybill: this is no message: publish a plain struct declared outside of functions
#include <waybill/waybill.hpp>

void send(waybill::context& about) { about.publish("orders", std::pair{1, 2}); }
