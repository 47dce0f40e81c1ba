/// `clicks` runs the service; `clicks click PAGE` publishes a click, to this one or to a team's.
#include "counting_store.hpp"
#include "service.hpp"
#include "verbs.hpp"

#include <string>
#include <string_view>

namespace {

int publish(std::string page) {
    waybill::app app{"website", "0.1.0"};
    const auto publisher = app.broker(waybill::rabbitmq::broker{clicks::broker_url()}).publisher();
    return clicks::once(std::move(app), [&] {
        return publisher.publish(waybill::rabbitmq::exchange_key("clickExchange", "clickKey"),
                                 clicks::click{7, std::move(page), "visitor-3"});
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view{argv[1]} == "click") return publish(argv[2]);
    return waybill::run_main(
        [] {
            return clicks::make_app(clicks::broker_url(),
                                    std::make_shared<clicks::counting_store>());
        },
        argc, argv);
}
