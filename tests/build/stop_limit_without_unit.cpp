// expect: waybill: a time needs a unit: 30s or 250ms
#include <waybill/waybill.hpp>

void wire(waybill::app& app) { app.stop_limit(25); }
