// How a reader gets its whole window where a second consumer beside the first will not do.
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/data.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace mq_widening_test {

using namespace waybill::rabbitmq;
using waybill::test::mq_client;
using waybill::test::mq_rig;

struct job {
    int number = 0;
};

waybill::outcome work(const job&) { return waybill::ack(); }

waybill::app make_app(queue from) {
    waybill::app app{"widening", "1"};
    app.log_level(waybill::log_level::error);
    app.broker(broker{"amqp://127.0.0.1:5672"}).subscribe(std::move(from), work);
    return app;
}

/// Five in a queue that deletes itself.
void fill_auto_delete(const mq_rig& at, const queue& as) {
    mq_client client{at.time};
    auto spec = as.said().spec;
    spec.auto_delete = true;
    REQUIRE(client->declare(1, spec, false));
    for (int number = 0; number < 5; ++number) {
        REQUIRE(at.server.publish("orders", R"({"number":)" + std::to_string(number) + '}') == 1);
    }
}

TEST_CASE("a queue that deletes itself keeps its consumer while the window gets wider") {
    const auto orders = [] { return queue{"orders"}; };
    for (const auto& from :
         {orders().auto_delete(), orders().auto_delete().exclusive_consumer(),
          orders().auto_delete().single_active_consumer(), orders().passive().exclusive_consumer(),
          orders().declared_elsewhere().exclusive_consumer(),
          orders().passive().single_active_consumer()}) {
        const mq_rig at;
        fill_auto_delete(at, from);
        waybill::test_app tb{make_app(from)};
        tb.rest();
        CHECK(tb.calls("orders").size() == 5);
        CHECK(at.server.consumers("orders") >= 1);
    }
}

}  // namespace mq_widening_test
