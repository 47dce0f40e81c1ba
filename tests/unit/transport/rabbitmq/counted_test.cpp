// Which count of a delivery is the server's.
#include "rabbitmq_client.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace mq_counted_test {

using namespace waybill::rabbitmq;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;

struct job {
    int number = 0;
};

enum class back { nack, reject };

using attempts_seen = std::vector<std::uint32_t>;

/// The attempts at one that came back so, before, in this order, and at last by a nack.
attempts_seen attempts_after(server_version version, const std::vector<back>& before,
                             const headers& with) {
    const mq_rig at{version};
    auto orders = queue{"orders"}.quorum();
    {
        mq_client client{at.time};
        client.declare("orders", {{"x-queue-type", "quorum"}});
        at.server.publish("orders", R"({"number":1})", with);
        client.consume("orders", 1);
        for (const auto how : before) {
            REQUIRE_FALSE(client.bodies().empty());
            const auto tag = client.last[0].tag;
            how == back::nack ? client->nack(1, tag, false, true) : client->reject(1, tag, true);
        }
        (void)client->cancel(1, "orders");
        client.bodies();
        for (const auto& each : client.last) client->nack(1, each.tag, false, true);
    }
    attempts_seen attempts;
    waybill::app app{"counted", "1"};
    app.log_level(waybill::log_level::error);
    app.broker(broker{"amqp://127.0.0.1:5672"})
        .subscribe(std::move(orders),
                   [&attempts](const job&, waybill::attempt number) {
                       attempts.push_back(number);
                       return waybill::ack();
                   })
        .max_attempts(4)
        .dead_letter("orders.dead");
    waybill::test_app tb{std::move(app)};
    tb.rest();
    CHECK(at.server.queued("orders.dead") == 0);
    return attempts;
}

TEST_CASE("a count that the publisher wrote is no attempt, also of what came back uncounted") {
    const headers own{{"x-delivery-count", 9}, {"x-acquired-count", 100}};
    for (const auto version : {server_version::v3_10, server_version::v4_0, server_version::v4_3}) {
        CAPTURE(static_cast<int>(version));
        CHECK(attempts_after(version, {}, own) == attempts_seen{1});
        CHECK(attempts_after(version, {back::nack, back::nack}, own) == attempts_seen{1});
    }
}

TEST_CASE("where failures are counted the server's own count is believed") {
    CHECK(attempts_after(server_version::v4_3, {back::reject, back::nack, back::reject},
                         {{"x-delivery-count", 9}}) == attempts_seen{3});
}

}  // namespace mq_counted_test
