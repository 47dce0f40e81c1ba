#include "service.hpp"

namespace payments {

waybill::router routes(form as) {
    return as == form::function ? routes_with(charge) : routes_with(charger{});
}

waybill::app make_app(std::shared_ptr<gateway> provider, waybill::router group,
                      const waybill::memory::server& at) {
    waybill::app app{"payments", "0.1.0"};
    app.on_startup([provider = std::move(provider)] { return provider; });
    app.broker(waybill::memory::broker{at}).mount(std::move(group));
    return app;
}

}  // namespace payments
