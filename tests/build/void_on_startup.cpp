// expect: waybill: on_startup returns the state that handlers take as state<T>
#include <waybill/waybill.hpp>

void wire(waybill::app& app) {
    app.on_startup([] {});
}
