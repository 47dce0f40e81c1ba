#include "service.hpp"

#include <waybill/backoff.hpp>

namespace clicks {

namespace rabbitmq = waybill::rabbitmq;

// [own]
waybill::app make_app(std::string_view url, std::shared_ptr<click_store> store,
                      std::chrono::nanoseconds wait) {
    waybill::app app{"clicks", "0.1.0"};
    app.on_startup([store = std::move(store)] { return store; });
    auto& broker =
        app.broker(rabbitmq::broker{url}.declare(rabbitmq::exchange::direct("clickExchange")));
    broker
        .subscribe(rabbitmq::queue("clickQueue").quorum().bind("clickExchange", "clickKey"),
                   count_click)
        .max_attempts(5)
        .retry_backoff(waybill::backoff::fixed(wait))
        .dead_letter("clickQueue.failed");
    return app;
}
// [/own]

// [legacy]
waybill::app make_legacy_app(std::string_view url, std::shared_ptr<click_store> store) {
    waybill::app app{"clicks", "0.1.0"};
    app.on_startup([store = std::move(store)] { return store; });
    app.broker(rabbitmq::broker{url})
        .subscribe(rabbitmq::queue("clickQueue")
                       .declared_elsewhere()
                       .legacy_retry_queues(
                           rabbitmq::exchange_key("clickRetryExchange", "clickRetryKey"),
                           rabbitmq::exchange_key("clickFailedExchange", "clickFailedKey")),
                   count_click)
        .max_attempts(5);
    return app;
}
// [/legacy]

// [afterwards]
waybill::app make_app_on_team_queue(std::string_view url, std::shared_ptr<click_store> store,
                                    std::chrono::nanoseconds wait) {
    waybill::app app{"clicks", "0.1.0"};
    app.on_startup([store = std::move(store)] { return store; });
    app.broker(rabbitmq::broker{url})
        .subscribe(rabbitmq::queue("clickQueue").declared_elsewhere(), count_click)
        .max_attempts(5)
        .retry_backoff(waybill::backoff::fixed(wait))
        .dead_letter(rabbitmq::exchange_key("clickFailedExchange", "clickFailedKey"));
    return app;
}
// [/afterwards]

// [team]
rabbitmq::broker with_team_topology(std::string_view url, std::chrono::nanoseconds wait) {
    return rabbitmq::broker{url}
        .declare(rabbitmq::exchange::direct("clickExchange"))
        .declare(rabbitmq::exchange::direct("clickRetryExchange"))
        .declare(rabbitmq::exchange::direct("clickFailedExchange"))
        .declare(rabbitmq::queue("clickQueue").bind("clickExchange", "clickKey"))
        .declare(rabbitmq::queue("clickQueue@retry")
                     .bind("clickRetryExchange", "clickRetryKey")
                     .message_ttl(wait)
                     .server_dead_letter("clickExchange", "clickKey"))
        .declare(
            rabbitmq::queue("clickQueue@failed").bind("clickFailedExchange", "clickFailedKey"));
}
// [/team]

}  // namespace clicks
