// expect: std::function<void(waybill::outgoing&, const waybill::delivery&)>
// clang: function<void (outgoing&, const delivery&)>
#include <waybill/waybill.hpp>

void wire(waybill::subscription& orders) {
    orders.on_retry_copy([](waybill::outgoing&) {});
}
