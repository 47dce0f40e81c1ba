// What an address keeps for readers that come, and what fan-out readers that come late are given.
#include "memory_client.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace std::chrono_literals;

namespace retention_test {

using waybill::memory::fan_out;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;
using waybill::memory::start;
using waybill::test::client;
using waybill::test::publish_status;
using waybill::test::settle;
using waybill::test::settle_kind;
using waybill::test::take;
using waybill::test::text_of;
using waybill::test::texts_of;

void publish(client& by, const std::string& letters, const char* address = "prices") {
    for (const auto letter : letters) {
        REQUIRE(by.publish(address, std::string{letter}) == publish_status::confirmed);
    }
}

TEST_CASE("without a retention nothing is dropped") {
    const server at;
    client app{at};
    for (int each = 0; each < 10'000; ++each) REQUIRE(at.publish("prices", "x"));
    app.advance(24h * 365);
    CHECK(at.queued("prices") == 10'000);
    CHECK(at.retired() == 0);
}

TEST_CASE("by count and by bytes the oldest are dropped first, and counted") {
    SUBCASE("messages") {
        const server at{options{.keep = {.messages = 3}}};
        client app{at};
        publish(app, "abcde");
        CHECK(at.retired() == 2);
        CHECK(texts_of(take(app.reads(queue("prices")))) == "c d e");
    }
    SUBCASE("bytes, but never the newest") {
        const server at;
        at.retain("prices", {.bytes = 5});
        client app{at};
        publish(app, "abc");
        REQUIRE(at.publish("prices", "1234"));
        CHECK(at.retired() == 2);
        REQUIRE(at.publish("prices", "1234567"));
        CHECK(at.retired() == 4);
        CHECK(texts_of(take(app.reads(queue("prices")))) == "1234567");
        publish(app, "abcdefg", "others");
        CHECK(at.queued("others") == 7);
    }
    SUBCASE("declared late") {
        const server at;
        client app{at};
        publish(app, "abcde");
        at.retain("prices", {.messages = 2});
        CHECK(at.retired() == 3);
        CHECK(texts_of(take(app.reads(queue("prices")))) == "d e");
    }
}

TEST_CASE("by age a message is dropped at its time, to the nanosecond, also from between others") {
    const server at;
    at.retain("prices", {.age = 10s});
    client app{at};
    auto& all = app.reads(queue("*"));
    publish(app, "a");
    CHECK(app.link().next_due() == 10s);
    REQUIRE(app.publish("others", "x") == publish_status::confirmed);
    app.advance(4s);
    publish(app, "b");
    app.advance(5'999'999'999ns);
    CHECK(at.queued("*") == 3);
    app.advance(1ns);
    CHECK(at.queued("*") == 2);
    CHECK(at.retired() == 1);
    CHECK(at.expired() == 0);
    app.advance(4s);
    CHECK(texts_of(take(all)) == "x");
    CHECK(at.retired() == 2);
    CHECK_FALSE(app.link().next_due());
}

TEST_CASE("what is in a reader's hand is never dropped; given back, the rule holds for it again") {
    const server at{options{.keep = {.messages = 2, .age = 10s}}};
    client app{at};
    auto& reader = app.reads(queue("prices"));
    publish(app, "ab");
    const auto hand = take(reader);
    CHECK(texts_of(hand) == "a b");
    CHECK(hand[0].expires_at_ms == 0);
    publish(app, "cde");
    CHECK(at.retired() == 1);
    app.advance(20s);
    CHECK(at.retired() == 3);
    CHECK(text_of(hand[0]) == "a");
    settle(reader, {hand[0]}, settle_kind::accept);
    settle(reader, {hand[1]}, settle_kind::requeue);
    app.advance(9'999'999'999ns);
    CHECK(at.queued("prices") == 1);
    app.advance(1ns);
    CHECK(at.queued("prices") == 0);
    CHECK(at.retired() == 4);
}

TEST_CASE("an age counts from when a message is ready, and anew when it is so again") {
    const server at{options{.keep = {.age = 10s}}};
    client app{at};
    auto& reader = app.reads(queue("prices"));
    SUBCASE("a delay longer than the age") {
        REQUIRE(app.publish("prices", "a", 30s) == publish_status::confirmed);
        app.advance(30s);
    }
    SUBCASE("a retry after longer than the age") {
        publish(app, "a");
        settle(reader, take(reader), settle_kind::requeue, 30s);
        app.advance(29s);
        CHECK(at.waiting() == 1);
        app.advance(1s);
    }
    SUBCASE("longer in a hand than the age, then given back") {
        publish(app, "a");
        const auto hand = take(reader);
        app.advance(30s);
        settle(reader, hand, settle_kind::release);
    }
    SUBCASE("longer in a hand than the age, then its connection falls") {
        publish(app, "a");
        const auto hand = take(reader);
        app.advance(30s);
        at.drop_connections();
        settle(reader, hand, settle_kind::accept);
    }
    CHECK(at.retired() == 0);
    app.advance(9s);
    CHECK(at.queued("prices") == 1);
    app.advance(1s);
    CHECK(at.queued("prices") == 0);
    CHECK(at.retired() == 1);
    CHECK(at.expired() == 0);
}

TEST_CASE("a time to live ends a message where its age does not count") {
    const server at{options{.keep = {.age = 10s}}};
    client app{at};
    auto& reader = app.reads(queue("prices"));
    REQUIRE(app.publish_for(20s, "prices", "a") == publish_status::confirmed);
    settle(reader, take(reader), settle_kind::requeue, 30s);
    app.advance(20s);
    CHECK(at.waiting() == 0);
    CHECK(at.expired() == 1);
    CHECK(at.retired() == 0);
}

TEST_CASE("a handler's retry after longer than its address keeps a message comes all the same") {
    const server at;
    at.retain("jobs", {.age = 1min});
    std::size_t runs = 0;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{at})
        .subscribe(queue("jobs"),
                   [&](std::span<const std::byte>) {
                       ++runs;
                       return waybill::retry_after(2min);
                   })
        .max_attempts(5)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    tb.publish_raw("jobs", "x");
    tb.advance(1h);
    CHECK(runs == 5);
    CHECK(at.queued("dead") == 1);
    CHECK(at.retired() == 0);
}

TEST_CASE("a queue that comes later takes a message over with its age") {
    const server at{options{.keep = {.age = 10s}}};
    client app{at};
    publish(app, "a");
    app.advance(6s);
    auto& pattern = app.reads(queue("*"));
    auto& late = app.reads(fan_out("prices", start::oldest));
    app.advance(4s);
    CHECK(take(pattern).empty());
    CHECK(take(late).empty());
    CHECK(at.retired() == 2);
}

TEST_CASE("an age that is declared late, changed or lifted holds for what is there") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("prices"));
    publish(app, "ab");
    const auto hand = take(reader, 1);
    app.advance(5s);
    at.retain("prices", {.age = 10s});
    CHECK(app.timer_changes == 1);
    publish(app, "c");
    CHECK(app.link().next_due() == 15s);
    at.retain("prices", {.age = 4s});
    CHECK(app.link().next_due() == 9s);
    CHECK(app.timer_changes == 2);
    app.advance(2s);
    settle(reader, hand, settle_kind::requeue);
    app.advance(2s);
    CHECK(at.retired() == 2);
    CHECK(at.queued("prices") == 1);
    at.retain("prices", {});
    app.advance(24h);
    CHECK(at.retired() == 2);
    CHECK(texts_of(take(reader)) == "a/1");
}

TEST_CASE("one address's retention leaves another's messages in a pattern's queue alone") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("prices.*"));
    for (const auto* how : {"messages", "bytes", "age", "declared late"}) {
        CAPTURE(how);
        const std::string kind = how;
        at.retain("prices.eu", {});
        if (kind == "messages") at.retain("prices.eu", {.messages = 2});
        if (kind == "bytes") at.retain("prices.eu", {.bytes = 2});
        if (kind == "age") at.retain("prices.eu", {.age = 10s});
        const auto before = at.retired();
        publish(app, "uv", "prices.us");
        publish(app, "a", "prices.eu");
        if (kind == "age") app.advance(10s);
        publish(app, "w", "prices.us");
        publish(app, "bc", "prices.eu");
        publish(app, "x", "prices.us");
        if (kind == "declared late") at.retain("prices.eu", {.messages = 2});
        CHECK(at.retired() == before + 1);
        const auto all = take(reader);
        CHECK(texts_of(all) == "u v w b c x");
        settle(reader, all, settle_kind::accept);
    }
}

TEST_CASE("a late fan-out reader is given the history where it asks for it, once") {
    const server at{options{.keep = {.messages = 3}}};
    client app{at};
    client late{at};
    late.name = "late";
    auto& reader = app.reads(queue("prices"));
    publish(app, "abcd");
    settle(reader, take(reader), settle_kind::accept);
    auto& plain = app.reads(fan_out("prices"));
    auto& with_history = late.reads(fan_out("prices", start::oldest));
    CHECK(texts_of(take(with_history)) == "b c d");
    publish(app, "e");
    CHECK(texts_of(take(plain)) == "e");
    CHECK(texts_of(take(with_history)) == "e");
    CHECK(at.retired() == 1);
    late.readers.clear();
    CHECK(texts_of(take(late.reads(fan_out("prices", start::oldest)))) == "b c d e");
    late.name = "later";
    CHECK(texts_of(take(late.reads(fan_out("prices", start::oldest)))) == "c d e");
}

TEST_CASE("without a retention a late fan-out reader is given what nobody has read yet") {
    const server at;
    client app{at};
    publish(app, "ab");
    publish(app, "c", "others");
    auto& late = app.reads(fan_out("*", start::oldest));
    CHECK(texts_of(take(late)) == "a b c");
    CHECK(texts_of(take(app.reads(queue("prices")))) == "a b");
}

TEST_CASE("a history forgets what is too old, and does not count it") {
    const server at{options{.keep = {.age = 10s}}};
    client app{at};
    auto& reader = app.reads(queue("prices"));
    publish(app, "a");
    app.advance(6s);
    publish(app, "b");
    settle(reader, take(reader), settle_kind::accept);
    app.advance(6s);
    CHECK(at.retired() == 0);
    CHECK(texts_of(take(app.reads(fan_out("prices", start::oldest)))) == "b");
}

}  // namespace retention_test
