#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rabbitmq_app_test {

using namespace std::chrono_literals;
namespace rabbitmq = waybill::rabbitmq;
using rabbitmq::fake_server;
using rabbitmq::queue;

struct job {
    std::string what;
};

waybill::outcome work(const job& given, waybill::attempt number) {
    if (given.what == "later" && number < 3) return waybill::retry_after(1234ms);
    if (given.what == "soon" && number < 2) return waybill::retry_after(50ms);
    if (given.what == "again" && number < 3) return waybill::retry();
    if (given.what == "poison") return waybill::retry();
    if (given.what == "drop") return waybill::drop();
    return waybill::ack();
}

constexpr const char* url = "amqp://app-test.invalid";

waybill::app make_app(queue orders) {
    waybill::app app{"orders", "1"};
    app.log_level(waybill::log_level::error);
    auto& broker = app.broker(rabbitmq::broker{url});
    broker.subscribe(std::move(orders), work).max_attempts(4).dead_letter("orders.dead");
    return app;
}

std::string payload(std::string_view what) { return R"({"what":")" + std::string{what} + "\"}"; }

TEST_CASE("retries, waits and dead letters, on every kind of queue and server") {
    for (const auto version : {rabbitmq::server_version::v3_10, rabbitmq::server_version::v4_0,
                               rabbitmq::server_version::v4_3}) {
        for (const bool is_quorum : {false, true}) {
            CAPTURE(static_cast<int>(version));
            CAPTURE(is_quorum);
            rabbitmq::server_options how;
            how.version = version;
            const fake_server server{url, how};
            auto orders = queue("orders");
            if (is_quorum) orders.quorum();
            waybill::test_app tb{make_app(orders)};
            for (const auto* what : {"plain", "later", "soon", "again", "poison", "drop"}) {
                REQUIRE(server.publish("orders", payload(what)) == 1);
            }
            tb.advance(0s);
            CHECK(server.queued("orders.dead") == 1);
            CHECK(server.waiting() == 1);
            tb.advance(60ms);
            tb.advance(3s);
            CHECK(server.waiting() == 0);
            CHECK(server.queued("orders") == 0);
            CHECK(server.unsettled() == 0);
            // plain 1, later 3, soon 2, again 3, poison 4, drop 1
            CHECK(tb.calls("orders").size() == 14);
            const auto dead = server.messages("orders.dead");
            REQUIRE(dead.size() == 1);
            CHECK(dead.front().payload == payload("poison"));
            CHECK(dead.front().with.text("waybill-dead-reason") == "attempts");
            CHECK(dead.front().with.text("waybill-retry-count") == "4");
        }
    }
}

TEST_CASE("several messages are published together, and each has its answer") {
    const fake_server server{url};
    waybill::app app = make_app(queue("orders"));
    const auto publisher = app.broker(rabbitmq::broker{url}).publisher();
    REQUIRE(app.start());
    std::vector<waybill::outgoing> all;
    const auto plain = payload("plain");
    for (const auto* to : {"orders", "nowhere", "orders"}) {
        all.emplace_back(to, std::as_bytes(std::span{plain}));
    }
    const auto answers = publisher.publish_all(all);
    REQUIRE(answers.size() == 3);
    CHECK(answers[0]);
    REQUIRE_FALSE(answers[1]);
    CHECK(answers[1].error().code == waybill::errc::unroutable);
    CHECK(answers[2]);
    CHECK(publisher.publish_all({}).empty());
    app.stop();
    CHECK(publisher.publish_all(all)[0].error().code == waybill::errc::stopped);
}

struct seen_properties {
    std::string id;
    unsigned priority = 0;
    bool has_time = false;
} seen;

void look(std::span<const std::byte>, waybill::field<rabbitmq::message_id> id,
          waybill::field<rabbitmq::priority> priority, waybill::field<rabbitmq::sent_at> sent) {
    seen = {std::string{(*id).value_or("none")}, *priority, (*sent).has_value()};
}

TEST_CASE("a handler takes properties as fields") {
    const fake_server server{url};
    waybill::app app{"looks", "1"};
    app.broker(rabbitmq::broker{url}).subscribe(queue("looked"), look);
    waybill::test_app tb{std::move(app)};
    namespace property = rabbitmq::property;
    server.publish("looked", "x",
                   {{property::message_id, "m1"},
                    {property::priority, rabbitmq::as(rabbitmq::wire_type::u8, 7U)},
                    {property::timestamp, rabbitmq::as(rabbitmq::wire_type::timestamp, 1000U)}});
    tb.rest();
    CHECK(seen.id == "m1");
    CHECK(seen.priority == 7);
    CHECK(seen.has_time);
    server.publish("looked", "x");
    tb.rest();
    CHECK(seen.id == "none");
    CHECK(seen.priority == 0);
    CHECK_FALSE(seen.has_time);
}

}  // namespace rabbitmq_app_test
