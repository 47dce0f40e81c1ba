// expect: waybill: app.broker takes what a transport configures, as in waybill::memory::broker{}
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

void wire(waybill::app& app) { app.broker(waybill::memory::server{}); }
