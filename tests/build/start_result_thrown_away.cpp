// expect: an app that did not start says why
// also: -Werror
#include <waybill/waybill.hpp>

void begin(waybill::app& app) { app.start(); }
