// expect: waybill: the app owns its state: let on_startup return a T, a std::unique_ptr<T> or a
#include <waybill/waybill.hpp>

void wire(waybill::app& app) {
    app.on_startup([] { return new int{1}; });
}
