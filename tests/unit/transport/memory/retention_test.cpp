// What an address keeps for readers that come, and what fan-out readers that come late are given.
#include "memory_client.hpp"
#include <waybill/memory.hpp>

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
    CHECK(take(reader).empty());
    CHECK(at.retired() == 4);
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
