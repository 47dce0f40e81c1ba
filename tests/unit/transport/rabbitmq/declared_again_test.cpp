// What a service declares after a reconnect, when the server refuses some of it.
#include "rabbitmq_client.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mq_declared_again_test {

using namespace std::chrono_literals;
using waybill::health_state;
using waybill::rabbitmq::exchange;
using waybill::rabbitmq::fake_server;
using waybill::rabbitmq::queue;
using waybill::test::mq_client;
using names = std::vector<std::string>;

constexpr const char* url = "amqp://127.0.0.1:5672";

waybill::app make_app() {
    waybill::rabbitmq::broker at{url};
    at.declare(exchange::topic("theirs").passive())
        .declare(exchange::topic("ours").bind("theirs", "o.#"))
        .declare(queue{"first"})
        .declare(queue{"second"}.bind("theirs", "#").bind("ours", "#"));
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    app.broker(std::move(at))
        .subscribe(queue{"orders"},
                   [](std::span<const std::byte>, waybill::context&) { return waybill::ack(); })
        .dead_letter("orders.dead");
    return app;
}

/// A service whose server was made empty behind its back but for a queue "first" of another kind.
struct emptied {
    emptied() {
        server.delete_exchange("theirs");
        server.delete_exchange("ours");
        for (const auto* each : {"first", "second", "orders.dead"}) server.delete_queue(each);
        CHECK(mq_client{nullptr}.declare("first", {{"x-max-length", 1}}).empty());
        server.drop_connections();
        tb.rest();
    }
    [[nodiscard]] bool says(std::string_view part) const {
        return tb.health().reason.find(part) != std::string::npos;
    }
    /// How often the exchange of the others was looked for.
    [[nodiscard]] int looks() const {
        int count = 0;
        for (const auto& each : server.trace("shop (publishes)")) {
            count += each == "client exchange.declare theirs passive" ? 1 : 0;
        }
        return count;
    }
    void mend() const {
        CHECK(mq_client{nullptr}.declare_exchange("theirs", "topic").empty());
        server.delete_queue("first");
    }

    fake_server server{url, {}};
    const std::string theirs = mq_client{nullptr}.declare_exchange("theirs", "topic");
    waybill::test_app tb{make_app()};
};

TEST_CASE("what is refused after a reconnect keeps nothing else away") {
    const emptied at;
    CHECK(at.server.queues() == names{"first", "orders", "orders.dead", "second"});
    CHECK(at.server.reached_by({"ours", "any"}) == names{"second"});
    CHECK(at.tb.health().state == health_state::degraded);
    CHECK(at.says("exchange theirs: it does not exist"));
    CHECK(at.says("exchange ours, binding to exchange theirs"));
    CHECK(at.says("queue first: its x-max-length"));
    CHECK(at.says("queue second, binding to exchange theirs"));
}

TEST_CASE(
    "what is refused after a reconnect is tried again, with growing pauses, until it is made") {
    emptied at;
    const auto before = at.looks();
    at.tb.advance(1min);  // after 100 ms, 300 ms, ... and 51.1 s
    CHECK(at.looks() == before + 9);
    at.mend();
    at.tb.advance(30s);
    CHECK(at.server.arguments("first").find("x-max-length") == std::nullopt);
    CHECK(at.server.reached_by({"theirs", "o.1"}) == names{"second"});
    CHECK(at.server.reached_by({"ours", "o.1"}) == names{"second"});
    CHECK(at.tb.health().state == health_state::running);
    const auto looked = at.looks();
    at.tb.advance(1h);
    CHECK(at.looks() == looked);
}

TEST_CASE("what somebody deletes is not made again, also while something else is still refused") {
    emptied at;
    at.server.delete_queue("orders.dead");
    at.tb.advance(1min);
    CHECK_FALSE(at.server.exists("orders.dead"));
    at.mend();
    at.tb.advance(30s);
    CHECK(at.tb.health().state == health_state::running);
    at.server.delete_queue("second");
    at.tb.advance(1h);
    CHECK_FALSE(at.server.exists("orders.dead"));
    CHECK_FALSE(at.server.exists("second"));
    at.server.drop_connections();
    at.tb.rest();
    CHECK(at.server.exists("orders.dead"));
    CHECK(at.server.exists("second"));
}

TEST_CASE("a dead letter's exchange that comes later is found, and the queue of another is made") {
    const fake_server server{url, {}};
    CHECK(mq_client{nullptr}.declare_exchange("dead", "topic").empty());
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    auto& at = app.broker(waybill::rabbitmq::broker{url});
    const auto done = [](std::span<const std::byte>, waybill::context&) { return waybill::ack(); };
    at.subscribe(queue{"a"}, done).dead_letter("/exchanges/dead/a");
    at.subscribe(queue{"b"}, done).dead_letter("b.dead");
    waybill::test_app tb{std::move(app)};
    server.delete_exchange("dead");
    server.delete_queue("b.dead");
    server.drop_connections();
    tb.rest();
    CHECK(server.exists("b.dead"));
    CHECK(tb.health().reason.find("exchange dead, of a dead letter: it does not exist") !=
          std::string::npos);
    CHECK(mq_client{nullptr}.declare_exchange("dead", "topic").empty());
    tb.advance(100ms);
    CHECK(tb.health().state == health_state::running);
}

/// A service with two hosts: what both say of its transient queue is taken by the first alone.
struct two_hosts {
    static constexpr const char* both = "amqp://127.0.0.1:5672,127.0.0.1:5673";

    explicit two_hosts(std::vector<queue> read = {}) {
        waybill::rabbitmq::broker at{both};
        at.declare(queue{"tmp"}.transient()).declare(queue{"kept"});
        waybill::app app{"shop", "1"};
        app.log_level(waybill::log_level::off);
        auto& to = app.broker(std::move(at));
        publisher.emplace(to.publisher());
        to.subscribe(queue{"orders"}, done);
        for (auto& each : read) to.subscribe(std::move(each), done);
        second.refuse_connections(true);
        tb.emplace(std::move(app));
    }
    static waybill::outcome done(std::span<const std::byte>, waybill::context&) {
        return waybill::ack();
    }
    void fail_over() {
        first.refuse_connections(true);
        second.refuse_connections(false);
        first.drop_connections();
        tb->rest();
        tb->advance(1s);
    }
    [[nodiscard]] int ends() const {
        int count = 0;
        for (const auto& each : second.trace("shop (publishes)")) {
            count += each.starts_with("server connection.close") ? 1 : 0;
        }
        return count;
    }

    fake_server first{"amqp://127.0.0.1:5672", {}};
    fake_server second{
        "amqp://127.0.0.1:5673",
        {.version = waybill::rabbitmq::server_version::v4_3, .refuses_transient_queues = true}};
    std::optional<waybill::publisher> publisher;
    std::optional<waybill::test_app> tb;
};

TEST_CASE("a declaration for which the server ends the connection is left out of the next one") {
    two_hosts at;
    at.fail_over();
    CHECK(at.publisher->publish("kept", std::as_bytes(std::span{"a", 1})));
    CHECK(at.tb->health().state == health_state::degraded);
    CHECK(at.tb->health().reason.find("queue tmp: the server ended the connection for it: 541") !=
          std::string::npos);
    CHECK(at.second.publish("orders", "a") == 1);
    at.tb->rest();
    CHECK(at.second.queued("orders") == 0);
    const auto before = at.ends();
    at.tb->advance(25s);
    CHECK(at.ends() == before);
    at.tb->advance(5min);  // 30 s and 90 s after the first, then 210 s
    CHECK(at.ends() == before + 3);
    CHECK(at.publisher->publish("kept", std::as_bytes(std::span{"b", 1})));
}

TEST_CASE("a subscription for which the server ends the connection keeps no other from reading") {
    two_hosts at{{queue{"fleeting"}.transient()}};
    at.fail_over();
    CHECK(at.tb->health().reason.find("queue fleeting is not read") != std::string::npos);
    CHECK(at.second.publish("orders", "a") == 1);
    at.tb->rest();
    CHECK(at.second.queued("orders") == 0);
    CHECK(at.second.consumers("orders") != 0);
}

TEST_CASE("a start for which the server ends the connection is refused, and not tried again") {
    const fake_server server{
        url,
        {.version = waybill::rabbitmq::server_version::v4_3, .refuses_transient_queues = true}};
    waybill::rabbitmq::broker at{url};
    at.declare(queue{"tmp"}.transient());
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    app.broker(std::move(at));
    std::string why;
    try {
        const waybill::test_app tb{std::move(app)};
    } catch (const std::exception& thrown) {
        why = thrown.what();
    }
    CHECK(why.find("queue tmp: the server ended the connection for it: 541") != std::string::npos);
    CHECK(why.find("tried again") == std::string::npos);
}

TEST_CASE("an exclusive queue that the broker was told of is the reading connection's own") {
    const fake_server server{url, {}};
    waybill::rabbitmq::broker at{url};
    at.declare(exchange::topic("ours"))
        .declare(queue{"mine"}.exclusive().bind("ours", "#"))
        .declare(queue{"unread"}.exclusive());
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    app.broker(std::move(at)).subscribe(queue{"mine"}.exclusive(), two_hosts::done);
    waybill::test_app tb{std::move(app)};
    for (int round = 0; round < 2; ++round) {
        CHECK(server.exists("unread"));
        CHECK(server.publish({"ours", "a"}, "a") == 1);
        tb.rest();
        CHECK(server.queued("mine") == 0);
        CHECK(server.consumers("mine") != 0);
        server.drop_connections();
        tb.advance(1s);
        CHECK(tb.health().state == health_state::running);
    }
}

}  // namespace mq_declared_again_test
