// What becomes of everything else in hand when the server ends a consumer.
#include "heap_peak.hpp"
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/reading.hpp"
#include <waybill/rabbitmq.hpp>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mq_cancelled_test {

using namespace waybill::rabbitmq;
using waybill::detail::received;
using waybill::test::mq_client;
using waybill::test::mq_rig;

struct host final : waybill::detail::transport_host {
    explicit host(std::shared_ptr<waybill::clock> time) : now{std::move(time)} {}
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return now; }
    void timer_changed() noexcept override {}
    void tell(std::string_view event, std::string_view, std::string_view) noexcept override {
        told.emplace_back(event);
    }
    std::shared_ptr<waybill::clock> now;
    std::vector<std::string> told;
};

struct lanes final : waybill::detail::consumer_listener {
    void ready() noexcept override {}
    void reconnected() noexcept override {}
};

/// A subscription with four in hand, on two consumers of one channel.
struct reads_four {
    explicit reads_four(server_version version) : rig{version}, client{rig.time} {
        auto opened = client.connector().open("reads");
        REQUIRE(opened);
        on = std::move(*opened);
        reader_facts facts;
        facts.said = std::make_shared<const queue::data>(queue{"orders"}.quorum().said());
        facts.name = "orders";
        facts.channel = reading_of.next_channel();
        facts.prefetch = 4;
        at = std::make_shared<reader>(std::move(facts), listens, rig.time, [] {});
        REQUIRE(reading_of.add(*on, at));
        at->widen(at->generation(), reader::whole_window);
        for (const auto* each : {"a", "b", "c", "d", "e"}) rig.server.publish("orders", each);
        work();
    }
    void work() {
        reading_of.work(*on);
        REQUIRE(on->read(reading_of));
        reading_of.was_read();
    }
    std::vector<received> take() {
        std::array<received, 8> room;
        const auto count = at->take(room);
        return {room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count)};
    }

    mq_rig rig;
    mq_client client;
    host of{rig.time};
    lanes listens;
    reading reading_of{std::make_shared<broker::data>(), of, "broker"};
    std::unique_ptr<wire> on;
    std::shared_ptr<reader> at;
};

/// What each message was counted, as the server's next reader sees it.
std::vector<std::uint64_t> counts_of(reads_four& all) {
    all.on.reset();
    std::vector<std::uint64_t> counts;
    all.client.consume("orders");
    (void)all.client.bodies();
    for (const auto& each : all.client.last) {
        const auto count = each.with.find("x-delivery-count");
        counts.push_back(count ? count->unsigned_integer().value_or(0) : 0);
    }
    return counts;
}

/// What is delivered next, one first and then the rest: what each was counted.
std::vector<std::uint32_t> delivered_next(reads_four& all) {
    std::vector<std::uint32_t> counts;
    const auto note = [&] {
        for (const auto& each : all.take()) counts.push_back(each.counted);
    };
    all.work();
    note();
    CHECK(counts.size() == 1);
    all.at->widen(all.at->generation(), reader::whole_window);
    all.work();
    note();
    return counts;
}

TEST_CASE("a consumer that the server ends costs no other message an attempt where it counts") {
    reads_four all{server_version::v4_3};
    REQUIRE(all.take().size() == 4);
    all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
    CHECK(delivered_next(all) == std::vector<std::uint32_t>(4, 0));
}

TEST_CASE("what comes between the end of a consumer and that of its channel is not counted") {
    reads_four all{server_version::v4_3};
    const auto hand = all.take();
    REQUIRE(hand.size() == 4);
    // Its place is filled on the channel that is about to be closed.
    const waybill::detail::settle_op accepted{hand[0].token, hand[0].generation};
    all.at->settle({&accepted, 1});
    all.reading_of.work(*all.on);
    all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
    REQUIRE(all.on->read(all.reading_of));
    CHECK(delivered_next(all) == std::vector<std::uint32_t>(4, 0));
}

TEST_CASE("a stop right after the server ended a consumer costs no attempt where it counts") {
    reads_four all{server_version::v4_3};
    REQUIRE(all.take().size() == 4);
    all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
    all.reading_of.closes(*all.on);
    CHECK(counts_of(all) == std::vector<std::uint64_t>(5, 0));
}

TEST_CASE("where every return counts, the server puts back by itself what is in hand") {
    reads_four all{server_version::v4_0};
    REQUIRE(all.take().size() == 4);
    all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
    all.work();
    for (const auto& each : all.rig.server.trace("reads")) {
        CHECK(each.find("basic.nack") == std::string::npos);
    }
    CHECK(counts_of(all).size() == 5);
}

TEST_CASE("what the end of its channel cuts off is given back, though nobody reads there") {
    reads_four all{server_version::v4_0};
    const auto channel = all.at->facts().channel;
    all.reading_of.cancelled(channel, "waybill-2-1");
    constexpr std::size_t size = 1 << 20;
    const support::heap_watch heap;
    for (int times = 0; times < 3; ++times) {
        arrival head;
        head.channel = channel;
        head.body_size = size;
        REQUIRE(all.reading_of.begins(head) != nullptr);
        all.reading_of.channel_closed(channel, {406, "gone"});
    }
    CHECK(heap.in_use() < 2 * size);
}

TEST_CASE("health names all for which a server ends a consumer, also an ack that came too late") {
    reads_four all{server_version::v4_3};
    all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
    CHECK(all.reading_of.trouble() ==
          "queue orders is not read: the server ended the consumer: its queue is gone, or has "
          "moved, or it waited too long for an ack (consumer_timeout)");
}

TEST_CASE("who is to read again is not blamed for the end of a connection that had fallen before") {
    reads_four all{server_version::v4_3};
    all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
    // Nobody opened the channel: 504.
    REQUIRE_FALSE(all.on->declare(99, queue_spec{}, true));
    all.reading_of.work(*all.on);
    all.reading_of.lost({504, "CHANNEL_ERROR"});
    auto next = all.client.connector().open("reads");
    REQUIRE(next);
    REQUIRE(all.reading_of.opened(**next));
    CHECK(all.reading_of.trouble().empty());
}

TEST_CASE("nobody is told that one reads again that has stopped") {
    for (const bool stops : {false, true}) {
        reads_four all{server_version::v4_0};
        all.reading_of.cancelled(all.at->facts().channel, "waybill-2-1");
        if (stops) all.at->cancel();
        all.work();
        CHECK(all.of.told.size() == (stops ? 0 : 1));
    }
}

}  // namespace mq_cancelled_test
