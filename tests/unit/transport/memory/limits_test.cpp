// A bounded address: who is held back, who never is, and what ends the wait.
#include "heap_peak.hpp"
#include "memory_client.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace std::chrono_literals;

namespace limits_test {

using waybill::memory::counting;
using waybill::memory::fan_out;
using waybill::memory::limits;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;
using waybill::memory::when_full;
using waybill::test::client;
using waybill::test::publish_status;
using waybill::test::settle;
using waybill::test::settle_kind;
using waybill::test::slip;
using waybill::test::take;
using waybill::test::texts_of;

constexpr limits two{.messages = 2};
constexpr limits two_or_fail{.messages = 2, .full = when_full::fails};

TEST_CASE("a full address fails or holds back, as declared; what is settled makes room") {
    for (const bool waits : {false, true}) {
        CAPTURE(waits);
        const server at{options{.limit = waits ? two : two_or_fail}};
        client app{at, false};
        auto& reader = app.reads(queue("orders"));
        slip third{true};
        REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
        REQUIRE(app.publish("orders", "b") == publish_status::confirmed);
        const auto hand = take(reader, 1);
        const auto status = app.send("orders", "c", third);
        CHECK(status == (waits ? publish_status::pending : publish_status::failed));
        CHECK(at.queued("orders") == 1);
        CHECK(app.publish("others", "x") == publish_status::confirmed);
        settle(reader, hand, settle_kind::accept);
        CHECK(third.status() == (waits ? publish_status::confirmed : publish_status::pending));
        CHECK(texts_of(take(reader)) == (waits ? "b c" : "b"));
    }
}

TEST_CASE("what is retried or waits for its time still takes up room") {
    const server at{options{.limit = two_or_fail}};
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    REQUIRE(app.publish("orders", "b", 5s) == publish_status::confirmed);
    CHECK(app.publish("orders", "c") == publish_status::failed);
    settle(reader, take(reader), settle_kind::requeue, 1s);
    CHECK(app.publish("orders", "c") == publish_status::failed);
    app.advance(1s);
    settle(reader, take(reader), settle_kind::requeue);
    CHECK(app.publish("orders", "c") == publish_status::failed);
    settle(reader, take(reader), settle_kind::accept);
    CHECK(app.publish("orders", "c") == publish_status::confirmed);
    CHECK(app.publish("orders", "d") == publish_status::failed);
}

TEST_CASE("those that wait come in the order in which they came, and nobody overtakes them") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at};
    auto& reader = app.reads(queue("orders"));
    slip b;
    slip c;
    slip d;
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    REQUIRE(app.send("orders", "b", b) == publish_status::pending);
    REQUIRE(app.send("orders", "c", c) == publish_status::pending);
    settle(reader, take(reader), settle_kind::accept);
    CHECK(b.status() == publish_status::confirmed);
    CHECK(c.status() == publish_status::pending);
    const auto hand = take(reader);
    CHECK(texts_of(hand) == "b");
    settle(reader, hand, settle_kind::accept);
    CHECK(c.status() == publish_status::confirmed);
    CHECK(texts_of(take(reader)) == "c");
    CHECK(b.times() == 1);
    CHECK(c.times() == 1);
}

TEST_CASE("bytes are counted with the headers; what could never fit is refused") {
    const server at{options{.limit = {.bytes = 10, .full = when_full::fails}}};
    client app{at};
    CHECK(app.publish("orders", "12345678901") == publish_status::refused);
    CHECK(app.publish("orders", "1234567") == publish_status::confirmed);
    CHECK(app.publish("orders", "1234") == publish_status::failed);
    CHECK(app.publish("orders", "123") == publish_status::confirmed);
    const auto with_headers = at.publish("elsewhere", "1", {{"name", "long enough to be above"}});
    REQUIRE_FALSE(with_headers);
    CHECK(with_headers.error().code == waybill::errc::refused);
    CHECK(with_headers.error().what ==
          "the message is larger than what the address may hold: 10 bytes");
}

TEST_CASE("an address is as full as the fullest queue that takes from it") {
    const server at;
    client app{at};
    client slow{at};
    slow.name = "slow";
    auto& quick = app.reads(queue("orders.eu"));
    auto& pattern = slow.reads(queue("orders.*"));
    auto& fan = slow.reads(fan_out("orders.eu"));
    at.limit("orders.eu", two_or_fail);
    REQUIRE(app.publish("orders.eu", "a") == publish_status::confirmed);
    REQUIRE(app.publish("orders.eu", "b") == publish_status::confirmed);
    settle(quick, take(quick), settle_kind::accept);
    CHECK(app.publish("orders.eu", "c") == publish_status::failed);
    settle(fan, take(fan), settle_kind::accept);
    CHECK(app.publish("orders.eu", "c") == publish_status::failed);
    settle(pattern, take(pattern, 1), settle_kind::accept);
    CHECK(app.publish("orders.eu", "c") == publish_status::confirmed);
    CHECK(app.publish("orders.us", "d") == publish_status::confirmed);
}

TEST_CASE("what is bounded late counts what its neighbours in a pattern's queue send there") {
    for (const bool by_retention : {false, true}) {
        CAPTURE(by_retention);
        const server at;
        client app{at};
        auto& reader = app.reads(queue("orders.*"));
        REQUIRE(app.publish("orders.us", "0123456789") == publish_status::confirmed);
        if (by_retention) {
            at.retain("orders.eu", {.bytes = 1000});
        } else {
            at.limit("orders.eu", {.bytes = 1000, .full = when_full::fails});
        }
        REQUIRE(app.publish("orders.eu", "1") == publish_status::confirmed);
        for (int each = 0; each < 3; ++each) {
            REQUIRE(app.publish("orders.us", std::string(400, 'x')) == publish_status::confirmed);
        }
        if (!by_retention) {
            CHECK(app.publish("orders.eu", "2") == publish_status::failed);
        }
        settle(reader, take(reader), settle_kind::accept);
        CHECK(app.publish("orders.eu", "2") == publish_status::confirmed);
        CHECK(app.publish("orders.eu", "3") == publish_status::confirmed);
        CHECK(texts_of(take(reader)) == "2 3");
        CHECK(at.retired() == 0);
    }
}

TEST_CASE("a limit that is declared late counts what is there, and one that is raised lets in") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    slip waiting;
    for (const auto* text : {"a", "b", "c"}) {
        REQUIRE(app.publish("orders", text) == publish_status::confirmed);
    }
    const auto hand = take(reader, 1);
    settle(reader, take(reader, 1), settle_kind::requeue, 1s);
    at.limit("orders", {.messages = 3, .full = when_full::fails});
    client other{at};
    CHECK(other.publish("orders", "d") == publish_status::failed);
    at.limit("orders", {.messages = 3});
    REQUIRE(other.send("orders", "d", waiting) == publish_status::pending);
    at.limit("orders", {.messages = 4});
    CHECK(waiting.status() == publish_status::confirmed);
    at.limit("orders", {});
    CHECK(other.publish("orders", "e") == publish_status::confirmed);
    settle(reader, hand, settle_kind::accept);
    app.advance(1s);
    CHECK(texts_of(take(reader)) == "c d e b/1");
}

TEST_CASE("what waits for room at an address that nobody reads goes to who comes to read it") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at};
    client other{at};
    slip b;
    REQUIRE(app.publish("orders.eu", "a") == publish_status::confirmed);
    REQUIRE(app.send("orders.eu", "b", b) == publish_status::pending);
    auto& pattern = other.reads(queue("orders.*"));
    CHECK(b.status() == publish_status::pending);
    const auto hand = take(pattern);
    CHECK(texts_of(hand) == "a");
    settle(pattern, hand, settle_kind::accept);
    CHECK(b.status() == publish_status::confirmed);
    CHECK(texts_of(take(pattern)) == "b");
}

TEST_CASE("a stop ends a publisher's wait with an error and takes what lanes still have") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at, false};
    auto& reader = app.reads(queue("mine"));
    slip publisher{true};
    slip lane;
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    REQUIRE(app.send("orders", "b", publisher) == publish_status::pending);
    REQUIRE(app.send("orders", "c", lane) == publish_status::pending);
    reader.cancel();
    CHECK(publisher.status() == publish_status::lost);
    CHECK(lane.status() == publish_status::confirmed);
    slip late{true};
    slip late_lane;
    CHECK(app.send("orders", "d", late) == publish_status::lost);
    CHECK(app.send("orders", "e", late_lane) == publish_status::confirmed);
    CHECK(app.link().explain("orders", publish_status::lost)->code == waybill::errc::stopped);
    client next{at};
    CHECK(texts_of(take(next.reads(queue("orders")))) == "a c e");
}

TEST_CASE("a connection that falls or closes loses what it publishes and waits") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at, false};
    client other{at};
    app.reads(queue("mine"));
    slip first;
    slip second;
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    REQUIRE(app.send("orders", "b", first) == publish_status::pending);
    at.drop_connections();
    CHECK(first.status() == publish_status::lost);
    REQUIRE(app.send("orders", "b", second) == publish_status::pending);
    app.link().close();
    CHECK(second.status() == publish_status::lost);
    CHECK(texts_of(take(other.reads(queue("orders")))) == "a");
}

TEST_CASE("a crash that empties the server lets in who waits") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at};
    slip waiting;
    REQUIRE(app.publish("orders", "a", 1h) == publish_status::confirmed);
    REQUIRE(app.send("orders", "b", waiting) == publish_status::pending);
    at.crash();
    CHECK(waiting.status() == publish_status::confirmed);
    CHECK(texts_of(take(app.reads(queue("orders")))) == "b");
}

TEST_CASE("what the delivery limit drops of a hand that comes back lets in who waits") {
    for (const std::string how : {"crash", "consumer", "connections", "close"}) {
        CAPTURE(how);
        const server at{options{.counts = counting::returns,
                                .outlives_crash = true,
                                .delivery_limit = 1,
                                .limit = {.messages = 1}}};
        client app{at};
        client other{at};
        auto& reader = app.reads(queue("orders"));
        REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
        settle(reader, take(reader), settle_kind::release);
        REQUIRE(take(reader).size() == 1);
        slip waiting;
        REQUIRE(other.send("orders", "b", waiting) == publish_status::pending);
        if (how == "crash") at.crash();
        if (how == "consumer") app.readers.clear();
        if (how == "connections") at.drop_connections();
        if (how == "close") app.link().close();
        CHECK(at.dropped_at_limit() == 1);
        CHECK(waiting.status() == publish_status::confirmed);
        CHECK(waiting.times() == 1);
        CHECK(at.queued("orders") == 1);
    }
}

TEST_CASE("a lower limit refuses what can never fit any more; the others go on") {
    const server at{options{.limit = {.bytes = 100}}};
    client app{at};
    auto& reader = app.reads(queue("orders"));
    slip large;
    slip small;
    REQUIRE(app.publish("orders", std::string(50, 'a')) == publish_status::confirmed);
    const std::string text(80, 'b');
    REQUIRE(app.send("orders", text, large) == publish_status::pending);
    REQUIRE(app.send("orders", "c", small) == publish_status::pending);
    at.limit("orders", {.bytes = 60});
    CHECK(large.status() == publish_status::refused);
    CHECK(small.status() == publish_status::confirmed);
    CHECK(large.times() == 1);
    CHECK(take(reader).size() == 2);
}

TEST_CASE("where publishes wait no more those that wait have failed, at that address alone") {
    const server at{options{.limit = {.messages = 1}}};
    client app{at};
    auto& reader = app.reads(queue("orders.*"));
    slip eu;
    slip us;
    REQUIRE(app.publish("orders.eu", "a") == publish_status::confirmed);
    REQUIRE(app.send("orders.eu", "b", eu) == publish_status::pending);
    REQUIRE(app.send("orders.us", "c", us) == publish_status::pending);
    at.limit("orders.eu", {.messages = 1, .full = when_full::fails});
    CHECK(eu.status() == publish_status::failed);
    CHECK(eu.times() == 1);
    CHECK(us.status() == publish_status::pending);
    settle(reader, take(reader), settle_kind::accept);
    CHECK(us.status() == publish_status::confirmed);
}

TEST_CASE("nobody waits on a thread that would have to make the room itself") {
    const server at{options{.limit = {.messages = 1}}};
    REQUIRE(at.publish("orders", "a"));
    const auto outside = at.publish("orders", "b");
    REQUIRE_FALSE(outside);
    CHECK(outside.error().code == waybill::errc::publish);

    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    broker.subscribe(queue("others"), [](std::span<const std::byte>) {});
    const auto publisher = broker.publisher();
    waybill::test_app tb{std::move(app)};
    const auto inside = publisher.publish("orders", std::as_bytes(std::span{"b"}));
    REQUIRE_FALSE(inside);
    CHECK(inside.error().message() ==
          "orders: the address is full, with 1 messages at most, and nobody would make room while "
          "this publish waited: no app runs that is not driven by hand. let what is there be "
          "handled first, or declare a larger limit");
    CHECK_THROWS_AS(tb.publish_raw("orders", "b"), waybill::test_failure);
    CHECK_FALSE(at.publish("orders", "c"));
    CHECK(at.queued("orders") == 1);
}

// What tests/overload measures for a minute, on one thread.
TEST_CASE("a producer ten times as fast as the reader: the memory is flat, and nothing is lost") {
    const server at{options{.limit = {.messages = 100}}};
    client app{at, false};
    auto& reader = app.reads(queue("orders"));
    const support::heap_watch watch;
    std::uint64_t published = 0;
    std::uint64_t handled = 0;
    std::size_t early = 0;
    const std::string body(1000, 'x');
    std::string sent;
    slip waiting{true};
    bool is_waiting = false;
    for (int step = 0; step < 6000; ++step) {
        if (step == 1000) early = watch.peak();
        for (int each = 0; each < 10 && !is_waiting; ++each) {
            waiting = slip{true};
            sent = std::to_string(published) + body;  // the waiting publish views it
            const auto status = app.send("orders", sent, waiting);
            is_waiting = status == publish_status::pending;
            REQUIRE((is_waiting || status == publish_status::confirmed));
            ++published;
        }
        const auto hand = take(reader, 1);
        REQUIRE(texts_of(hand) == std::to_string(handled) + body);
        ++handled;
        settle(reader, hand, settle_kind::accept);
        is_waiting = is_waiting && waiting.status() == publish_status::pending;
        REQUIRE(at.queued("orders") <= 100);
    }
    CHECK(watch.peak() * 10 <= early * 11);
    CHECK(published == handled + at.queued("orders") + (is_waiting ? 1 : 0));
}

// ---- apps --------------------------------------------------------------------------------------

struct order {
    std::uint64_t id;
};
struct receipt {
    static constexpr std::string_view address = "receipts";
    std::uint64_t id;
};

TEST_CASE("a handler whose retry copies go to its own full queue goes on") {
    for (const auto bound : {limits{.messages = 4}, limits{.bytes = 32}}) {
        for (const auto full : {when_full::waits, when_full::fails}) {
            auto limit = bound;
            limit.full = full;
            const server at{options{.counts = counting::none, .delays = false, .limit = limit}};
            for (int id = 1; id <= 4; ++id) {
                REQUIRE(at.publish("orders", R"({"id":)" + std::to_string(id) + "}"));
            }
            REQUIRE_FALSE(at.publish("orders", R"({"id":1})"));
            waybill::app app{"shop", "1"};
            app.broker(waybill::memory::broker{at})
                .subscribe(queue("orders"),
                           [](const order&, waybill::attempt number) {
                               return number < 3 ? waybill::retry() : waybill::ack();
                           })
                .max_attempts(5)
                .dead_letter("dead");
            waybill::test_app tb{std::move(app)};
            CHECK(tb.published("orders").size() == 8);
            CHECK(at.queued("orders") == 0);
            CHECK(tb.health().state == waybill::health_state::running);
        }
    }
}

TEST_CASE("dead letters and replies into a full address wait, the handler does not run again") {
    const server at{options{.counts = counting::failures}};
    at.limit("receipts", {.messages = 1});
    at.limit("dead", {.messages = 1});
    std::size_t runs = 0;
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    broker
        .subscribe(queue("orders"),
                   [&](const order& one) -> waybill::reply<receipt> {
                       ++runs;
                       if (one.id >= 10) return waybill::retry();
                       return receipt{one.id};
                   })
        .max_attempts(1)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    for (const std::uint64_t id : {1U, 2U, 3U, 10U, 11U, 12U}) tb.publish("orders", order{id});
    CHECK(runs == 6);
    CHECK(at.queued("receipts") == 1);
    CHECK(at.queued("dead") == 1);
    CHECK(at.unsettled() == 4);

    client reader{at};
    auto& receipts = reader.reads(queue("receipts"));
    auto& dead = reader.reads(queue("dead"));
    std::size_t ended = 0;
    for (int round = 0; round < 3; ++round) {
        for (auto* from : {&receipts, &dead}) {
            const auto hand = take(*from);
            ended += hand.size();
            settle(*from, hand, settle_kind::accept);
        }
        tb.rest();
    }
    CHECK(ended == 6);
    CHECK(runs == 6);
    CHECK(at.unsettled() == 0);
}

TEST_CASE("an app is degraded while a publish of it has waited for room for a second") {
    const server at;
    at.limit("log", {.messages = 1});
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    app.broker(waybill::memory::broker{at})
        .subscribe(queue("orders"), [](std::span<const std::byte> payload, waybill::context& with) {
            with.publish("log", payload);
        });
    waybill::test_app tb{std::move(app)};
    client other{at};
    tb.publish_raw("orders", "a");
    tb.publish_raw("orders", "b");
    tb.advance(500ms);
    tb.publish_raw("orders", "c");
    tb.advance(499ms);
    CHECK(tb.health().state == waybill::health_state::running);
    tb.advance(1ms);
    CHECK(tb.health().state == waybill::health_state::degraded);
    CHECK(tb.health().reason ==
          "memory: 2 publishes wait for room at a full address, the first for 1s at log");
    auto& reader = other.reads(queue("log"));
    settle(reader, take(reader), settle_kind::accept);
    tb.advance(400ms);
    CHECK(tb.health().state == waybill::health_state::running);
    tb.advance(100ms);
    CHECK(tb.health().reason ==
          "memory: 1 publish waits for room at a full address, the first for 1s at log");
    settle(reader, take(reader), settle_kind::accept);
    CHECK(tb.health().state == waybill::health_state::running);
    CHECK(texts_of(take(reader)) == "c");
}

TEST_CASE("a stop hands over what its lanes still have, also above the limit, and loses nothing") {
    const server at{options{.counts = counting::none, .delays = false, .limit = {.messages = 3}}};
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    broker
        .subscribe(queue("orders"),
                   [](const order& one) -> waybill::reply<receipt> {
                       if (one.id % 2 == 0) return waybill::retry_after(1h);
                       return receipt{one.id};
                   })
        .max_attempts(5)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    for (std::uint64_t id = 1; id <= 10; ++id) tb.publish("orders", order{id});
    CHECK(at.queued("receipts") == 3);
    CHECK(at.unsettled() == 2);
    CHECK(tb.stop());
    CHECK(at.unsettled() == 0);
    CHECK(at.queued("receipts") == 5);
    CHECK(at.queued("orders") == 5);
}

}  // namespace limits_test
