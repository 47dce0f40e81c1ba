// A time to live: what is older is never handed out.
#include "transport/memory/expiry.hpp"

#include "memory_client.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace expiry_test {

using waybill::memory::fan_out;
using waybill::memory::limits;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;
using waybill::test::client;
using waybill::test::publish_status;
using waybill::test::settle;
using waybill::test::settle_kind;
using waybill::test::slip;
using waybill::test::take;
using waybill::test::texts_of;

TEST_CASE("a message that expires in its queue is removed at its time, whatever stands before it") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    REQUIRE(app.publish_for(10s, "orders", "b") == publish_status::confirmed);
    REQUIRE(app.publish_for(5s, "orders", "c") == publish_status::confirmed);
    REQUIRE(app.publish("orders", "d") == publish_status::confirmed);
    CHECK(app.timer_changes == 2);
    CHECK(app.link().next_due() == 5s);
    app.advance(4'999'999'999ns);
    CHECK(at.queued("orders") == 4);
    app.advance(1ns);
    CHECK(at.queued("orders") == 3);
    CHECK(at.expired() == 1);
    const auto hand = take(reader);
    CHECK(texts_of(hand) == "a b d");
    CHECK(hand[0].expires_at_ms == 0);
    CHECK(hand[1].expires_at_ms == (app.time()->wall() + 5s).count());
    CHECK_FALSE(app.link().next_due());
}

TEST_CASE("what expired is not handed out, even before a timer has removed it") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish_for(1s, "orders", "a") == publish_status::confirmed);
    REQUIRE(app.publish_for(2s, "orders", "b") == publish_status::confirmed);
    std::static_pointer_cast<waybill::manual_clock>(app.time())->advance_by(1s);
    CHECK(reader.available() == 2);
    CHECK(texts_of(take(reader)) == "b");
    CHECK(at.expired() == 1);
}

TEST_CASE("every queue that takes a message expires its own copy") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    auto& fan = app.reads(fan_out("orders"));
    REQUIRE(app.publish_for(1s, "orders", "a") == publish_status::confirmed);
    settle(reader, take(reader), settle_kind::accept);
    app.advance(1s);
    CHECK(take(fan).empty());
    CHECK(at.expired() == 1);
}

TEST_CASE("a message expires while it waits for its time, then and not later") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish_for(5s, "orders", "a", 10s) == publish_status::confirmed);
    REQUIRE(app.publish_for(5s, "orders", "b", 2s) == publish_status::confirmed);
    CHECK(at.waiting() == 2);
    app.advance(2s);
    const auto hand = take(reader);
    CHECK(texts_of(hand) == "b");
    settle(reader, hand, settle_kind::requeue, 10s);
    app.advance(3s);
    CHECK(at.waiting() == 0);
    CHECK(at.expired() == 2);
    CHECK(take(reader).empty());
}

TEST_CASE("what is in hand does not expire; given back after its time it does") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    for (const auto* text : {"a", "b", "c"}) {
        REQUIRE(app.publish_for(5s, "orders", text) == publish_status::confirmed);
    }
    const auto hand = take(reader, 2);
    settle(reader, {hand[0]}, settle_kind::release);
    app.advance(5s);
    CHECK(at.expired() == 2);
    settle(reader, {hand[1]}, settle_kind::requeue);
    CHECK(take(reader).empty());
    CHECK(at.expired() == 3);
    CHECK(at.unsettled() == 0);
}

TEST_CASE("a reader that comes later, a dropped connection and a clone keep the time") {
    const server at;
    client app{at};
    REQUIRE(app.publish_for(5s, "orders.eu", "a") == publish_status::confirmed);
    auto& pattern = app.reads(queue("orders.*"));
    const auto first = take(pattern);
    at.drop_connections();
    const auto again = take(pattern);
    REQUIRE(texts_of(again) == "a/1");
    CHECK(again[0].expires_at_ms == first[0].expires_at_ms);
    CHECK(again[0].expires_at_ms != 0);
    settle(pattern, again, settle_kind::release);
    settle(pattern, first, settle_kind::accept);
    app.advance(5s);
    CHECK(take(pattern).empty());
    CHECK(at.expired() == 1);
}

TEST_CASE("what expires makes room") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at};
    slip waiting;
    REQUIRE(app.publish_for(1s, "orders", "a") == publish_status::confirmed);
    REQUIRE(app.send("orders", "b", waiting, 1s) == publish_status::pending);
    app.advance(1s);
    CHECK(waiting.status() == publish_status::confirmed);
    app.advance(999'999'999ns);
    CHECK(at.queued("orders") == 1);
    app.advance(1ns);
    CHECK(at.queued("orders") == 0);
}

TEST_CASE("a publisher's message carries a time to live; a copy and a dead letter have none") {
    struct probe {
        waybill::outcome handle(std::span<const std::byte>) { return waybill::retry(); }
    };
    for (const auto& how :
         {options{}, options{.counts = waybill::memory::counting::none, .delays = false}}) {
        const server at{how};
        waybill::app app{"shop", "1"};
        auto& broker = app.broker(waybill::memory::broker{at});
        broker.subscribe(queue("orders"), probe{}).max_attempts(2).dead_letter("dead");
        const auto publisher = broker.publisher();
        waybill::test_app tb{std::move(app)};
        auto message = waybill::outgoing{"unread", std::as_bytes(std::span{"x"})};
        message.set_time_to_live(10s);
        message.headers().set("x-id", 7);
        REQUIRE(publisher.publish(message));
        tb.advance(9s);
        CHECK(at.queued("unread") == 1);
        tb.advance(1s);
        CHECK(at.queued("unread") == 0);
        CHECK(at.expired() == 1);

        auto handled = waybill::outgoing{"orders", std::as_bytes(std::span{"x"})};
        handled.set_time_to_live(10s);
        REQUIRE(publisher.publish(handled));
        tb.rest();
        CHECK(at.queued("dead") == 1);
        tb.advance(24h);
        CHECK(at.queued("dead") == 1);
        CHECK(at.expired() == 1);
    }
}

// ---- who is told of the time -------------------------------------------------------------------

/// Closes a connection when it is told: then another thread could be anywhere in its publish.
struct closing_ticket final : waybill::detail::publish_ticket {
    explicit closing_ticket(client& one) : closes{one} {}
    void published(publish_status) noexcept override {
        closes.link().close();
        told_before = closes.timer_changes;
    }
    client& closes;
    int told_before = -1;
};

TEST_CASE("an app whose connection is closed while it publishes is not told of timers any more") {
    const server at;
    at.limit("orders.x", {.bytes = 10});
    at.retain("orders.y", {.messages = 1});
    client other{at};
    client app{at};
    auto& reader = other.reads(queue("orders.*"));
    REQUIRE(other.publish("orders.y", "12345678") == publish_status::confirmed);
    closing_ticket waiting{app};
    REQUIRE(other.send("orders.x", "12345", waiting) == publish_status::pending);
    // What it drops makes room for the other's, in the midst of its publish.
    REQUIRE(app.publish_for(1s, "orders.y", "1") == publish_status::confirmed);
    CHECK(waiting.told_before == app.timer_changes);
    CHECK(other.timer_changes != 0);
    CHECK(texts_of(take(reader)) == "1 12345");
}

TEST_CASE("whoever arms an earlier end, every app that is connected is told, and only then") {
    const server at;
    at.retain("prices", {.age = 10s});
    client app{at};
    client other{at};
    REQUIRE(app.publish("prices", "a") == publish_status::confirmed);
    CHECK(app.timer_changes == 1);
    CHECK(other.timer_changes == 1);
    REQUIRE(app.publish("prices", "b") == publish_status::confirmed);
    CHECK(app.timer_changes == 1);
    REQUIRE(app.publish("prices", "c", 20s) == publish_status::confirmed);
    REQUIRE(app.publish("prices", "d", 5s) == publish_status::confirmed);
    REQUIRE(app.publish("prices", "e", 6s) == publish_status::confirmed);
    CHECK(app.timer_changes == 2);
    at.retain("quotes", {.age = 1s});
    REQUIRE(at.publish("quotes", "f"));
    CHECK(app.timer_changes == 3);
    CHECK(other.timer_changes == 3);
}

// ---- the heap ----------------------------------------------------------------------------------

TEST_CASE("the heap gives what is due in order, whatever was taken out meanwhile") {
    using waybill::memory::entry;
    using waybill::memory::lifetime;
    struct alignas(entry) place {
        std::array<std::byte, sizeof(entry) + sizeof(lifetime)> bytes{};
    };
    std::mt19937_64 random{7};
    std::vector<place> places(500);
    std::vector<entry*> inside;
    waybill::memory::expiry heap;
    for (int round = 0; round < 20'000; ++round) {
        if (inside.size() < places.size() && random() % 5 < 3) {
            // The first place that is free.
            for (auto& each : places) {
                auto* one = reinterpret_cast<entry*>(each.bytes.data());
                if (std::ranges::find(inside, one) != inside.end()) continue;
                *one = {};
                one->life() = {std::chrono::nanoseconds{random() % 1000}};
                heap.add(*one);
                inside.push_back(one);
                break;
            }
        } else if (!inside.empty()) {
            const auto at = static_cast<std::ptrdiff_t>(random() % inside.size());
            heap.remove(*inside[static_cast<std::size_t>(at)]);
            inside.erase(inside.begin() + at);
        }
        auto least = std::chrono::nanoseconds::max();
        for (auto* each : inside) least = std::min(least, each->life().due);
        REQUIRE(heap.next_due().value_or(std::chrono::nanoseconds::max()) == least);
        if (inside.empty()) continue;
        REQUIRE(heap.due(least)->life().due == least);
        REQUIRE(heap.due(least - 1ns) == nullptr);
    }
}

}  // namespace expiry_test
