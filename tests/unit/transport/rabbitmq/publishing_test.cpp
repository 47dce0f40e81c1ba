// What becomes of a publish that comes while the connection is closed, or falls.
#include "transport/rabbitmq/publishing.hpp"

#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/outgoing.hpp"
#include "transport/rabbitmq/waits.hpp"
#include "wiring/explained_ticket.hpp"
#include <waybill/clock.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace mq_publishing_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;
using waybill::detail::publish_status;

struct host final : waybill::detail::transport_host {
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return now; }
    void timer_changed() noexcept override {}
    void warn(std::string_view event, std::string_view, std::string_view) noexcept override {
        warned.emplace_back(event);
    }
    std::shared_ptr<waybill::clock> now;
    std::vector<std::string> warned;
};

struct told final : waybill::wiring::explained_ticket {
    void published(publish_status status) noexcept override {
        all.push_back(status);
        why = take_why();
    }
    std::vector<publish_status> all;
    std::unique_ptr<waybill::error> why;
};

TEST_CASE("what is submitted before the end is told, and what comes later is not taken") {
    host of;
    publishing at{std::make_shared<broker::data>(), of, "broker"};
    told before;
    auto& first = *at.spare();
    first.ticket = &before;
    CHECK(at.submit(first));
    at.end_all();
    CHECK(before.all == std::vector{publish_status::lost});

    told after;
    auto& late = *at.spare();
    late.ticket = &after;
    CHECK_FALSE(at.submit(late));
    at.discard(late);
    CHECK(after.all.empty());
}

TEST_CASE("what a large message took is not kept for the next one, and what a small one took is") {
    host of;
    publishing at{std::make_shared<broker::data>(), of, "broker"};
    constexpr std::size_t large = std::size_t{64} * 1024;
    for (const auto size : {large, large + 1}) {
        auto& used = *at.spare();
        used.bytes.resize(size);
        at.discard(used);
        auto& next = *at.spare();
        CHECK(next.bytes.capacity() == (size == large ? large : 0));
        at.discard(next);
    }
}

TEST_CASE("copies wait for the next connection when one falls while their queue is declared") {
    const waybill::test::mq_rig rig;
    const waybill::test::mq_client client{rig.time};
    host of;
    of.now = rig.time;
    auto about = std::make_shared<broker::data>();
    about->connection.emplace();
    publishing at{about, of, "broker"};
    auto on = client.connector().open("first");
    REQUIRE(on);
    REQUIRE(at.opened(**on));

    const auto queue = waiting_queue_name(100ms, queue_type::classic, "/", "orders");
    told answer;
    const auto submit = [&](std::string_view payload) {
        auto& copy = *at.spare();
        copy.ticket = &answer;
        copy.waits = 100ms;
        copy.back_to = target{"", "orders"};
        waybill::outgoing_view what;
        what.payload = std::as_bytes(std::span{payload});
        REQUIRE(fill_message(copy, {"", queue}, what, 0ns, {}));
        REQUIRE(at.submit(copy));
    };
    submit("a");
    submit("b");
    rig.server.drop_connections();
    at.work(**on);
    CHECK(answer.all.empty());
    CHECK(of.warned.empty());
    at.lost({});

    auto next = client.connector().open("next");
    REQUIRE(next);
    REQUIRE(at.opened(**next));
    at.work(**next);
    REQUIRE((*next)->read(at));
    at.was_read();
    CHECK(answer.all == std::vector{publish_status::confirmed, publish_status::confirmed});
    const auto there = rig.server.messages(queue);
    REQUIRE(there.size() == 2);
    CHECK(there[0].payload == "a");
    CHECK(there[1].payload == "b");
}

TEST_CASE(
    "what is to be declared is not blamed for the end of a connection that had fallen before") {
    waybill::test::mq_rig rig;
    waybill::test::mq_client client{rig.time};
    host of;
    of.now = rig.time;
    auto about = std::make_shared<broker::data>();
    about->connection.emplace();
    about->queues.emplace_back("first");
    publishing at{about, of, "broker"};
    const auto open = [&] {
        auto on = client.connector().open("publishes");
        REQUIRE(on);
        REQUIRE(at.opened(**on));
        return std::move(*on);
    };
    open();
    rig.server.delete_queue("first");
    REQUIRE(client.declare("first", {{"x-max-length", 1}}).empty());
    const auto on = open();
    CHECK_FALSE(at.trouble().empty());
    rig.server.delete_queue("first");
    rig.advance(100ms);
    // Nobody opened the channel: 504.
    REQUIRE_FALSE(on->declare(99, queue_spec{}, true));
    at.work(*on);
    at.lost({504, "CHANNEL_ERROR"});
    open();
    CHECK(rig.server.exists("first"));
    CHECK(at.trouble().empty());
}

const auto empty_array = as(wire_type::array, std::span<const std::byte>{});

/// A service's publishing connection to a server, opened again whenever it falls.
struct line {
    explicit line(server_version version = server_version::v3_10) : rig{version} {}
    void submit(sent_to where, told& answer, const waybill::headers& with = {}) {
        auto& made = *at.spare();
        made.ticket = &answer;
        waybill::outgoing_view what;
        what.packed_headers = with.packed();
        REQUIRE(fill_message(made, where, what, 0ns, {}));
        REQUIRE(at.submit(made));
    }
    /// One that waits, and the queue that it waits in.
    std::string submit_copy(told& answer) {
        auto queue = waiting_queue_name(100ms, queue_type::classic, "/", "orders");
        auto& copy = *at.spare();
        copy.ticket = &answer;
        copy.waits = 100ms;
        copy.back_to = target{"", "orders"};
        REQUIRE(fill_message(copy, {"", queue}, {}, 0ns, {}));
        REQUIRE(at.submit(copy));
        return queue;
    }
    /// Whether it stands afterwards.
    bool turn() {
        if (!on) {
            on = std::move(*client.connector().open("publishes"));
            REQUIRE(at.opened(*on));
        }
        at.work(*on);
        const auto read = on->read(at);
        if (read) {
            at.was_read();
            return true;
        }
        at.lost(read.error());
        on.reset();
        return false;
    }

    waybill::test::mq_rig rig;
    waybill::test::mq_client client{rig.time};
    host of;
    std::shared_ptr<broker::data> about = [this] {
        of.now = rig.time;  // before it is asked for
        auto made = std::make_shared<broker::data>();
        made->connection.emplace();
        return made;
    }();
    publishing at{about, of, "broker"};
    std::unique_ptr<wire> on;
};

TEST_CASE("a publish for which the server ends the connection fails alone, and the rest goes on") {
    line with;
    REQUIRE(with.client.declare("orders").empty());
    with.rig.server.fail_publishes("bad", 1000, publish_fault::connection_ended);
    told before;
    told bad;
    told behind;
    with.submit({"", "orders"}, before);
    with.submit({"", "bad"}, bad);
    with.submit({"", "orders"}, behind);
    CHECK_FALSE(with.turn());  // all three are in flight
    CHECK(bad.all.empty());
    CHECK(with.turn());  // and now one at a time
    CHECK_FALSE(with.turn());
    CHECK(bad.all.empty());
    CHECK_FALSE(with.turn());
    CHECK(bad.all == std::vector{publish_status::refused});
    REQUIRE(bad.why);
    CHECK(bad.why->what == "the server ended the connection: 541 INTERNAL_ERROR");
    CHECK(with.turn());
    CHECK(before.all == std::vector{publish_status::confirmed});
    CHECK(behind.all == std::vector{publish_status::confirmed});
}

TEST_CASE("a server that ends the connection once, for whatever it was, costs no publish") {
    line with;
    REQUIRE(with.client.declare("orders").empty());
    with.rig.server.fail_publishes("orders", 1, publish_fault::connection_ended);
    told only;
    with.submit({"", "orders"}, only);
    CHECK_FALSE(with.turn());
    CHECK(with.turn());
    CHECK(only.all == std::vector{publish_status::confirmed});
}

TEST_CASE("a copy whose waiting queue ends the connection has failed, and is never refused") {
    line with;
    REQUIRE(with.client.declare("orders").empty());
    told copy;
    told behind;
    const auto queue = with.submit_copy(copy);
    with.submit({"", "orders"}, behind);
    with.rig.server.fail_declarations(queue, 1000);
    CHECK_FALSE(with.turn());
    CHECK(copy.all == std::vector{publish_status::failed});
    CHECK(with.of.warned == std::vector<std::string>{"no_waiting_queue"});
    CHECK(with.turn());
    CHECK(behind.all == std::vector{publish_status::confirmed});
    for (int round = 0; round < 5; ++round) {
        copy.all.clear();
        with.submit_copy(copy);
        CHECK_FALSE(with.turn());
        CHECK(copy.all == std::vector{publish_status::failed});
    }
}

TEST_CASE("what was in flight when a waiting queue ended the connection bears no blame for it") {
    line with;
    REQUIRE(with.client.declare("orders").empty());
    told before;
    told copy;
    told behind;
    with.submit({"", "orders"}, before);
    const auto queue = with.submit_copy(copy);
    with.submit({"", "orders"}, behind);
    with.rig.server.fail_declarations(queue, 1);
    CHECK_FALSE(with.turn());
    CHECK(copy.all.empty());
    CHECK(before.all.empty());
    // Each of them may end the connection once now, as if it had never fallen before.
    with.rig.server.fail_publishes("orders", 1, publish_fault::connection_ended);
    CHECK_FALSE(with.turn());
    CHECK(with.turn());
    CHECK(before.all == std::vector{publish_status::confirmed});
    with.rig.server.fail_publishes(queue, 1, publish_fault::connection_ended);
    CHECK_FALSE(with.turn());
    CHECK(with.turn());
    CHECK(copy.all == std::vector{publish_status::confirmed});
    CHECK(with.rig.server.queued(queue) == 1);
    CHECK(with.turn());
    CHECK(behind.all == std::vector{publish_status::confirmed});
}

TEST_CASE("one that ends the connection is found although a copy behind it is to wait") {
    line with;
    with.rig.server.fail_publishes("bad", 1000, publish_fault::connection_ended);
    told bad;
    told copy;
    with.submit({"", "bad"}, bad);
    with.submit_copy(copy);
    CHECK_FALSE(with.turn());
    CHECK_FALSE(with.turn());
    CHECK_FALSE(with.turn());
    CHECK(bad.all == std::vector{publish_status::refused});
    CHECK(copy.all.empty());
    CHECK(with.turn());
    CHECK(copy.all == std::vector{publish_status::confirmed});
}

TEST_CASE("of several to one headers exchange, only that which no queue takes is unroutable") {
    for (const auto version : {server_version::v3_10, server_version::v4_0}) {
        line with{version};
        REQUIRE(with.client.declare("orders").empty());
        REQUIRE(with.client.declare_exchange("by type", "headers").empty());
        REQUIRE(with.client.bind("orders", "by type", "", {{"type", "order"}}).empty());
        told nobodys;
        told bound;
        told again;
        with.submit({"by type", ""}, nobodys, {{"type", "none"}, {"a", 1}, {"BCC", empty_array}});
        with.submit({"by type", ""}, bound, {{"type", "order"}, {"a", 1}});
        with.submit({"by type", ""}, again, {{"type", "none"}, {"a", 1}});
        CHECK(with.turn());
        CHECK(nobodys.all == std::vector{publish_status::unroutable});
        CHECK(bound.all == std::vector{publish_status::confirmed});
        CHECK(again.all == std::vector{publish_status::unroutable});
    }
}

TEST_CASE("each publish that is refused is told its own reason") {
    line with;
    REQUIRE(with.client.declare("orders").empty());
    with.rig.server.fail_publishes("planned", 1, publish_fault::channel_closed);
    told closed;
    told own;
    with.submit({"", "planned"}, closed);
    with.turn();
    with.turn();
    with.submit({"", "orders"}, own, {{":priority", 256U}});
    with.turn();
    CHECK(closed.all == std::vector{publish_status::refused});
    CHECK(own.all == std::vector{publish_status::refused});
    REQUIRE(closed.why);
    REQUIRE(own.why);
    CHECK(closed.why->what.find("a publish that was planned to fail") != std::string::npos);
    CHECK(own.why->what.find("0 to 255") != std::string::npos);
}

TEST_CASE("a publish with headers beyond a frame is told so, whatever was refused before") {
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    const fake_server server{"amqp://127.0.0.1:5672", {}};
    auto& to = app.broker(broker{"amqp://127.0.0.1:5672"}.declare(queue{"orders"}));
    const auto publisher = to.publisher();
    waybill::test_app tb{std::move(app)};
    server.fail_publishes("planned", 1, publish_fault::channel_closed);
    const auto closed = publisher.publish("planned", std::as_bytes(std::span{"a"}));
    REQUIRE_FALSE(closed);
    CHECK(closed.error().what.find("planned to fail") != std::string::npos);
    CHECK(closed.error().where == "planned");
    const waybill::headers large{{"n", std::string(200'000, 'x')}};
    const auto beyond = publisher.publish("orders", std::as_bytes(std::span{"a"}), large);
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().code == waybill::errc::refused);
    CHECK(beyond.error().what == "the headers take more than a frame of 131072 bytes");
    const auto name = publisher.publish(std::string(256, 'q'), std::as_bytes(std::span{"a"}));
    REQUIRE_FALSE(name);
    CHECK(name.error().what.find("longer than 255 bytes") != std::string::npos);
}

TEST_CASE("what a server said of being blocked does not outlast the connection") {
    line with;
    with.turn();
    with.at.blocked("low on memory");
    CHECK(with.at.trouble().find("low on memory") != std::string::npos);
    with.rig.server.refuse_connections(true);
    with.rig.server.drop_connections();
    CHECK_FALSE(with.turn());
    CHECK(with.at.trouble().empty());
}

TEST_CASE("nothing is declared again while the server blocks, as it would answer nothing") {
    waybill::test::mq_rig rig;
    waybill::test::mq_client client{rig.time};
    host of;
    of.now = rig.time;
    auto about = std::make_shared<broker::data>();
    about->connection.emplace();
    about->exchanges.push_back(exchange::topic("theirs").passive());
    REQUIRE(client.declare_exchange("theirs", "topic").empty());
    publishing at{about, of, "broker"};
    auto on = client.connector().open("first");
    REQUIRE(on);
    REQUIRE(at.opened(**on));
    CHECK_FALSE(at.due());
    at.lost({});
    rig.server.delete_exchange("theirs");
    on = client.connector().open("next");
    REQUIRE(on);
    REQUIRE(at.opened(**on));
    CHECK(at.due() == rig.time->now() + 100ms);
    const auto before = rig.server.trace("next").size();
    at.blocked("low on disk");
    CHECK_FALSE(at.due());
    rig.advance(1s);
    at.work(**on);
    CHECK(rig.server.trace("next").size() == before);
    at.blocked("");
    CHECK(at.due());
    REQUIRE(client.declare_exchange("theirs", "topic").empty());
    at.work(**on);
    CHECK_FALSE(at.due());
    CHECK(at.trouble().empty());
}

}  // namespace mq_publishing_test
