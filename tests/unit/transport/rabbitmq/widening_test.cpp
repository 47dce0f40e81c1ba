// How a reader gets its whole window where a second consumer beside the first will not do.
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/reading.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mq_widening_test {

using namespace waybill::rabbitmq;
using waybill::detail::received;
using waybill::detail::settle_op;
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

struct host final : waybill::detail::transport_host {
    explicit host(std::shared_ptr<waybill::clock> time) : now{std::move(time)} {}
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return now; }
    void timer_changed() noexcept override {}
    std::shared_ptr<waybill::clock> now;
};

struct lanes final : waybill::detail::consumer_listener {
    void ready() noexcept override {}
    void reconnected() noexcept override {}
};

/// A reader with a prefetch of 8, and ten in its queue.
struct reads_ten {
    explicit reads_ten(const queue& from, const waybill::headers& there) : client{rig.time} {
        client.declare("orders", there);
        auto opened = client.connector().open("reads");
        REQUIRE(opened);
        on = std::move(*opened);
        reader_facts facts;
        facts.said = std::make_shared<const queue::data>(from.said());
        facts.name = "orders";
        facts.channel = reading_of.next_channel();
        facts.prefetch = 8;
        at = std::make_shared<reader>(std::move(facts), listens, rig.time, [] {});
        REQUIRE(reading_of.add(*on, at));
        for (int number = 0; number < 10; ++number) rig.server.publish("orders", "x");
        work();
    }
    void work() {
        reading_of.work(*on);
        REQUIRE(on->read(reading_of));
        reading_of.was_read();
    }
    void widen(std::size_t to) {
        at->widen(at->generation(), to);
        work();
    }
    /// Into the hand of a lane; says how many there were.
    std::size_t take() {
        std::array<received, 16> room;
        const auto count = at->take(room);
        hand.insert(hand.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count));
        return count;
    }
    void accept_first() {
        const settle_op accepted{hand.front().token, hand.front().generation};
        hand.erase(hand.begin());
        at->settle({&accepted, 1});
        work();
    }

    mq_rig rig;
    mq_client client;
    host of{rig.time};
    lanes listens;
    reading reading_of{std::make_shared<broker::data>(), of, "broker"};
    std::unique_ptr<wire> on;
    std::shared_ptr<reader> at;
    std::vector<received> hand;
};

const waybill::headers classic{{"x-queue-type", "classic"}};
const waybill::headers classic_single{{"x-queue-type", "classic"},
                                      {"x-single-active-consumer", true}};

TEST_CASE("a consumer that is taken anew counts what the one before has in hand") {
    for (const bool is_single : {false, true}) {
        auto from = queue{"orders"};
        is_single ? from.single_active_consumer() : from.exclusive_consumer();
        reads_ten all{from, is_single ? classic_single : classic};
        CHECK(all.take() == 1);
        for (std::size_t waiting = 1; waiting < 8; ++waiting) {
            all.widen(waiting + 1);
            CHECK(all.take() == 1);
            all.widen(waiting + 1);
            CHECK(all.take() == 0);
        }
        all.widen(9);
        CHECK(all.at->available() == 0);
        all.widen(reader::whole_window);
        CHECK(all.at->available() == 2);
    }
}

TEST_CASE("it is taken anew again when what the one before had is settled") {
    reads_ten all{queue{"orders"}.exclusive_consumer(), classic};
    for (std::size_t waiting = 0; waiting < 3; ++waiting) {
        all.widen(waiting + 1);
        CHECK(all.take() == 1);
    }
    all.accept_first();
    all.accept_first();
    CHECK(all.at->available() == 0);
    all.widen(2);
    CHECK(all.take() == 1);
    all.accept_first();
    all.accept_first();
    CHECK(all.take() == 1);
}

TEST_CASE("a quorum queue of others gets its window, also where it has a single active consumer") {
    const waybill::headers single{{"x-queue-type", "quorum"}, {"x-single-active-consumer", true}};
    const waybill::headers plain{{"x-queue-type", "quorum"}};
    for (const auto& from :
         {queue{"orders"}.quorum().passive(), queue{"orders"}.quorum().declared_elsewhere(),
          queue{"orders"}.quorum().passive().exclusive_consumer()}) {
        for (const auto& there : {plain, single}) {
            reads_ten all{from, there};
            CHECK(all.take() == 1);
            all.widen(reader::whole_window);
            CHECK(all.at->available() == 8);
        }
    }
}

}  // namespace mq_widening_test
