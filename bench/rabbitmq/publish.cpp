/// Messages that are published and confirmed.
#include "rabbitmq/measured.hpp"
#include "rabbitmq/service.hpp"

#include <vector>

namespace bench {
namespace {

const std::string name = "bench.publish";

void publish_by_waybill(const run_options& how) {
    raw_client client{how.url};
    client.make_queue(name, how.kind);
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::warning);
    waybill::rabbitmq::broker server{how.url};
    server.publish_window(window_size);
    const auto publisher = app.broker(server).publisher();
    start(app);

    const auto body = numbered_body(0);
    waybill::outgoing message{name, std::as_bytes(std::span{body})};
    if (how.kind == queue_kind::transient) {
        message.headers().set(waybill::rabbitmq::property::delivery_mode, 1);
    }
    const std::vector<waybill::outgoing> all(how.count, message);
    stopwatch times;
    times.begin();
    const auto answers = publisher.publish_all(all);
    times.end();
    for (const auto& each : answers) {
        if (each) continue;
        std::cerr << each.error().message() << '\n';
        std::exit(1);
    }
    app.stop();
    client.expect_ready(name, static_cast<std::uint32_t>(how.count));
    client.delete_queue(name);
    times.report(how.count);
}

/// `unconfirmed`: so many may be before the loop waits.
void publish_by_loop(const run_options& how, std::size_t unconfirmed) {
    raw_client client{how.url};
    client.make_queue(name, how.kind);
    client.select_confirms();
    const auto body = numbered_body(0);
    stopwatch times;
    times.begin();
    for (std::size_t at = 0; at < how.count; ++at) {
        client.await_confirms(unconfirmed);
        client.publish(name, body, how.kind);
    }
    client.await_confirms();
    times.end();
    raw_client looks{how.url};
    looks.expect_ready(name, static_cast<std::uint32_t>(how.count));
    looks.delete_queue(name);
    times.report(how.count);
}

}  // namespace

void add_publish_cases(rabbitmq_cases& cases) {
    cases["publish.waybill"] = publish_by_waybill;
    cases["publish.each"] = [](const run_options& how) { publish_by_loop(how, 0); };
    cases["publish.window"] = [](const run_options& how) { publish_by_loop(how, window_size - 1); };
}

}  // namespace bench
