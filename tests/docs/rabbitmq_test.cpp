// The parts of docs/rabbitmq.md, on the server in memory.
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace on_rabbitmq {

namespace rabbitmq = waybill::rabbitmq;
using namespace std::chrono_literals;

// [service]
struct order {
    std::uint64_t id = 0;
    std::string item;
};

waybill::outcome pack(const order& asked) {
    if (asked.item.empty()) return waybill::drop();
    if (asked.item == "piano") return waybill::retry_after(30s);  // needs two people
    return waybill::ack();
}

waybill::app make_app() {
    waybill::app app{"warehouse", "1.0.0"};
    const char* const url = std::getenv("WAREHOUSE_BROKER");  // amqp://user:password@host/vhost
    auto& broker =
        app.broker(rabbitmq::broker{url != nullptr ? url : "amqp://rabbit.example/shop"});
    broker.subscribe(rabbitmq::queue("orders").quorum(), pack)
        .max_attempts(5)
        .dead_letter("orders.dead");
    return app;
}
// [/service]

namespace program {
// [main]
int main(int argc, char** argv) { return waybill::run_main(make_app, argc, argv); }
// [/main]
}  // namespace program

/// A wiring mistake, in words; empty when there is none.
std::string mistakes_of(const waybill::app& app) {
    std::string all;
    for (const auto& each : app.check()) all += each.message() + '\n';
    return all;
}

}  // namespace on_rabbitmq

using namespace on_rabbitmq;

TEST_CASE("the page's program is whole, and its wiring sound") {
    std::string words[] = {"warehouse", "check"};
    char* arguments[] = {words[0].data(), words[1].data()};
    CHECK(program::main(2, arguments) == 0);
}

// [testing]
TEST_CASE("a piano is tried five times, half a minute apart, and then set aside") {
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop"};
    waybill::test_app tb{make_app()};
    tb.publish("orders", order{.id = 7, .item = "piano"});
    CHECK(server.waiting() == 1);  // in a queue of the server, as on a real one
    tb.advance(2min);
    CHECK(tb.calls(pack) == 5);
    CHECK(server.queued("orders.dead") == 1);
}
// [/testing]

TEST_CASE("the server in memory has versions, and faults") {
    // [faults]
    rabbitmq::server_options how;
    how.version = rabbitmq::server_version::v3_10;
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop", how};
    waybill::test_app tb{make_app()};
    server.fail_publishes("orders.dead", 1);  // the first dead letter is not taken
    server.drop_connections();                // and every connection falls now
    // [/faults]
    tb.rest();
    tb.publish("orders", order{.id = 7, .item = "piano"});
    tb.advance(3min);
    CHECK(server.queued("orders.dead") == 1);
}

TEST_CASE("a topology is declared with the broker") {
    // [topology]
    const auto broker = rabbitmq::broker{"amqp://rabbit.example/shop"}
                            .declare(rabbitmq::exchange::topic("events"))
                            .declare(rabbitmq::queue("audit")
                                         .max_length(100'000)
                                         .when_full(rabbitmq::overflow::reject_publish)
                                         .bind("events", "#"));
    const auto orders =
        rabbitmq::queue("orders").quorum().delivery_limit(50).bind("events", "order.placed.*");
    // [/topology]
    waybill::app app{"warehouse", "1"};
    app.broker(broker)
        .subscribe(orders, pack)
        .max_attempts(5)
        .dead_letter(rabbitmq::exchange_key("events", "dead"));
    CHECK(mistakes_of(app) == "");
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop"};
    const waybill::test_app tb{std::move(app)};
    CHECK(server.reached_by({"events", "order.placed.eu"}) ==
          std::vector<std::string>{"audit", "orders"});
}

TEST_CASE("TLS is said in the URL, or beside it") {
    // [tls]
    rabbitmq::broker broker{"amqps://rabbit-1.example,rabbit-2.example/shop"};
    broker.with({.ca_file = "/etc/shop/ca.pem",
                 .certificate_file = "/etc/shop/warehouse.pem",
                 .key_file = "/etc/shop/warehouse.key"});
    // [/tls]
    CHECK(broker.problems().empty());
}

TEST_CASE("a publisher waits for the confirmation, and is told what no queue took") {
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop"};
    // [publisher]
    waybill::app app{"web shop", "1.0.0"};
    auto& broker = app.broker(
        rabbitmq::broker{"amqp://rabbit.example/shop"}.declare(rabbitmq::queue("orders").quorum()));
    const auto publisher = broker.publisher();
    // [/publisher]
    const waybill::test_app tb{std::move(app)};
    // [publishing]
    const auto sent = publisher.publish("orders", order{.id = 7, .item = "lamp"});
    const auto nowhere = publisher.publish("ordres", order{.id = 8, .item = "lamp"});
    // [/publishing]
    CHECK(sent);
    REQUIRE(!nowhere);
    CHECK(nowhere.error().code == waybill::errc::unroutable);
    CHECK(server.queued("orders") == 1);
}

TEST_CASE("properties stand among the headers") {
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop"};
    std::string seen;
    waybill::app app{"warehouse", "1"};
    const auto read_properties = [&seen](const waybill::headers& all) {
        // [properties]
        const auto type = all.text(":content_type");
        const auto trace = all.text("trace-id");
        // [/properties]
        seen = std::string{type.value_or("-")} + ' ' + std::string{trace.value_or("-")};
    };
    app.broker(rabbitmq::broker{"amqp://rabbit.example/shop"})
        .subscribe(rabbitmq::queue("orders"), read_properties);
    waybill::test_app tb{std::move(app)};
    server.publish("orders", "{}", {{":content_type", "application/json"}, {"trace-id", "abc"}});
    tb.rest();
    CHECK(seen == "application/json abc");
}

TEST_CASE("a handler takes a property as a parameter, and a publisher sets one") {
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop"};
    std::string seen;
    waybill::app app{"warehouse", "1"};
    // [fields]
    const auto pack_in_order = [&seen](const order& asked, waybill::field<rabbitmq::message_id> id,
                                       waybill::field<rabbitmq::priority> priority,
                                       waybill::field<rabbitmq::sent_at> sent) {
        seen = asked.item + ' ' + std::string{id->value_or("-")} + ' ' + std::to_string(*priority);
        if (*sent) seen += " sent";
    };
    // [/fields]
    auto& broker = app.broker(rabbitmq::broker{"amqp://rabbit.example/shop"});
    broker.subscribe(rabbitmq::queue("orders"), pack_in_order);
    const auto publisher = broker.publisher();
    waybill::test_app tb{std::move(app)};
    // [set properties]
    waybill::headers with;
    with.set(rabbitmq::property::message_id, "order-7");
    with.set(rabbitmq::property::priority, 5);
    const auto sent = publisher.publish("orders", order{.id = 7, .item = "lamp"}, with);
    // [/set properties]
    CHECK(sent);
    tb.rest();
    CHECK(seen == "lamp order-7 5");
}

TEST_CASE("without a cap a classic queue's retry() is not counted, and a wait is") {
    auto answer = waybill::retry();
    std::vector<std::uint32_t> expected{1, 1, 1, 1};
    SUBCASE("retry") { answer = waybill::retry(); }
    SUBCASE("retry_after") {
        answer = waybill::retry_after(1s);
        expected = {1, 2, 3, 4};
    }
    const rabbitmq::fake_server server{"amqp://rabbit.example/shop"};
    std::vector<std::uint32_t> attempts;
    waybill::app app{"warehouse", "1"};
    app.broker(rabbitmq::broker{"amqp://rabbit.example/shop"})
        .subscribe(rabbitmq::queue("orders"), [&](const order&, waybill::attempt number) {
            attempts.push_back(static_cast<std::uint32_t>(number));
            return attempts.size() < 4 ? answer : waybill::ack();
        });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{.id = 7, .item = "lamp"});
    tb.advance(1min);
    CHECK(attempts == expected);
}

TEST_CASE("where no queues may be made, what waits does so in memory, and the start says so") {
    // [in memory]
    auto broker = rabbitmq::broker{"amqp://rabbit.example/shop"};
    broker.delays(rabbitmq::waits::in_memory);
    // [/in memory]
    waybill::app app{"warehouse", "1"};
    app.broker(broker)
        .subscribe(rabbitmq::queue("orders"), pack)
        .max_attempts(5)
        .dead_letter("orders.dead");
    CHECK(app.describe_json().find(R"("kill_loses": "waiting")") != std::string::npos);
}
