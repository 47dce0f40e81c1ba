// expect: waybill: on_startup takes a function without parameters that returns the state
#include <waybill/waybill.hpp>

void wire(waybill::app& app) {
    app.on_startup([](int port) { return port; });
}
