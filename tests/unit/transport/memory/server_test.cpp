#include "memory_client.hpp"
#include <waybill/clock.hpp>
#include <waybill/memory.hpp>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace memory_server_test {

using waybill::headers;
using waybill::detail::publish_status;
using waybill::detail::received;
using waybill::detail::settle_kind;
using waybill::memory::counting;
using waybill::memory::fan_out;
using waybill::memory::options;
using waybill::memory::publish_fault;
using waybill::memory::queue;
using waybill::memory::server;
using waybill::test::client;
using waybill::test::settle;
using waybill::test::take;
using waybill::test::text_of;
using waybill::test::texts_of;

void publish_abc(client& by) {
    for (const auto* text : {"a", "b", "c"}) {
        REQUIRE(by.publish("orders", text) == publish_status::confirmed);
    }
}

// ---- who gets what -----------------------------------------------------------------------------

TEST_CASE("competing readers share one copy of each message, in order of publishing") {
    client app{server{}};
    auto& one = app.reads(queue("orders"));
    auto& other = app.reads(queue("orders"));
    publish_abc(app);
    CHECK(texts_of(take(one, 1)) == "a");
    CHECK(texts_of(take(other, 1)) == "b");
    CHECK(texts_of(take(one)) == "c");
    CHECK(take(other).empty());
}

TEST_CASE("every fan-out reader gets each message published from then on") {
    const server at;
    client one{at};
    client other{at};
    other.name = "other";
    auto& first = one.reads(fan_out("orders"));
    REQUIRE(one.publish("orders", "a") == publish_status::confirmed);
    auto& second = other.reads(fan_out("orders"));
    REQUIRE(one.publish("orders", "b") == publish_status::confirmed);
    CHECK(texts_of(take(first)) == "a b");
    CHECK(texts_of(take(second)) == "b");
}

TEST_CASE("a queue, a pattern and a fan-out reader of one address get a copy each") {
    client app{server{}};
    auto& exact = app.reads(queue("orders.eu"));
    auto& pattern = app.reads(queue("orders.*"));
    auto& rest = app.reads(queue("orders.>"));
    auto& fan = app.reads(fan_out("orders.eu"));
    REQUIRE(app.publish("orders.eu", "a") == publish_status::confirmed);
    REQUIRE(app.publish("orders.eu.new", "b") == publish_status::confirmed);
    CHECK(texts_of(take(exact)) == "a");
    CHECK(texts_of(take(pattern)) == "a");
    CHECK(texts_of(take(rest)) == "a b");
    CHECK(texts_of(take(fan)) == "a");
}

TEST_CASE("counts belong to the reader: what one fails another does not see") {
    client app{server{}};
    auto& failing = app.reads(queue("orders"));
    auto& healthy = app.reads(fan_out("orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    settle(failing, take(failing), settle_kind::requeue);
    CHECK(texts_of(take(failing)) == "a/1");
    CHECK(texts_of(take(healthy)) == "a");
}

TEST_CASE("what nobody reads is kept for the first who does, by name or by pattern") {
    const server at;
    REQUIRE(at.publish("orders.eu", "a"));
    REQUIRE(at.publish("orders.us", "b"));
    CHECK(at.queued("orders.eu") == 1);
    client app{at};
    CHECK(texts_of(take(app.reads(queue("orders.eu")))) == "a");
    auto& rest = app.reads(queue("orders.>"));
    CHECK(texts_of(take(rest)) == "b");
    REQUIRE(at.publish("orders.us", "c"));
    CHECK(texts_of(take(rest)) == "c");
    CHECK(at.queued("orders.us") == 0);
}

TEST_CASE("what waits for an address that nobody reads goes to who reads it when it is due") {
    const server at;
    client app{at};
    REQUIRE(app.publish("late.eu", "a", 10s) == publish_status::confirmed);
    auto& pattern = app.reads(queue("late.*"));
    auto& fan = app.reads(fan_out("late.eu"));
    app.advance(10s);
    CHECK(texts_of(take(pattern)) == "a");
    CHECK(texts_of(take(fan)) == "a");
    CHECK(at.queued("late.eu") == 0);
}

TEST_CASE("a declared address keeps what is sent to it beside the pattern that reads it") {
    const server at;
    client app{at};
    REQUIRE(app.link().declare("orders.dead", queue("orders")));
    auto& pattern = app.reads(queue("orders.>"));
    REQUIRE(app.publish("orders.dead", "a") == publish_status::confirmed);
    CHECK(at.queued("orders.dead") == 1);
    CHECK(texts_of(take(pattern)) == "a");
}

TEST_CASE("a name is no way into another reader's queue") {
    const server at;
    client app{at};
    auto& fan = app.reads(fan_out("orders"));
    auto& odd = app.reads(queue("fan-out app/orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    CHECK(take(odd).empty());
    CHECK(texts_of(take(fan)) == "a");
}

TEST_CASE("a message is not taken for a pattern, or for a name that is none") {
    const server at;
    client app{at};
    for (const auto* name : {"orders.*", ">", "", "a..b"}) {
        CAPTURE(name);
        CHECK(app.publish(name, "a") == publish_status::refused);
        CHECK(app.publish(name, "a") == publish_status::refused);
        CHECK_FALSE(at.publish(name, "a"));
        CHECK(at.queued(name) == 0);
    }
}

// ---- settling ----------------------------------------------------------------------------------

TEST_CASE("a failed delivery comes again behind the others, counted and flagged") {
    client app{server{}};
    auto& reader = app.reads(queue("orders"));
    publish_abc(app);
    const auto first = take(reader, 1);
    CHECK_FALSE(first[0].redelivered);
    settle(reader, first, settle_kind::requeue);
    const auto all = take(reader);
    CHECK(texts_of(all) == "b c a/1");
    CHECK(all[2].redelivered);
    settle(reader, {all[2]}, settle_kind::requeue);
    CHECK(texts_of(take(reader)) == "a/2");
}

TEST_CASE("what is given back unseen comes first again, uncounted and in order") {
    client app{server{}};
    auto& reader = app.reads(queue("orders"));
    publish_abc(app);
    REQUIRE(app.publish("orders", "d") == publish_status::confirmed);
    const auto hand = take(reader, 3);
    settle(reader, hand, settle_kind::release);
    const auto again = take(reader);
    CHECK(texts_of(again) == "a b c d");
    CHECK(again[0].redelivered);
}

TEST_CASE("one batch of settlements may hold every kind") {
    client app{server{}};
    auto& reader = app.reads(queue("orders"));
    publish_abc(app);
    publish_abc(app);
    const auto hand = take(reader);
    REQUIRE(hand.size() == 6);
    const std::array kinds = {settle_kind::release, settle_kind::accept, settle_kind::requeue,
                              settle_kind::release, settle_kind::reject, settle_kind::nothing};
    std::vector<waybill::detail::settle_op> operations;
    for (std::size_t at = 0; at < 6; ++at) {
        operations.push_back({hand[at].token, hand[at].generation, {}, kinds[at]});
    }
    reader.settle(operations);
    CHECK(texts_of(take(reader)) == "a a c c/1");
}

TEST_CASE("delays fire in due order, ties first in first out, never early") {
    client app{server{}};
    auto& reader = app.reads(queue("orders"));
    publish_abc(app);
    const auto hand = take(reader);
    settle(reader, {hand[0]}, settle_kind::requeue, 10s);
    settle(reader, {hand[1]}, settle_kind::requeue, 1s);
    settle(reader, {hand[2]}, settle_kind::requeue, 1s);
    REQUIRE(app.publish("orders", "d", 1s) == publish_status::confirmed);
    CHECK(app.link().next_due() == 1s);
    app.advance(999'999'999ns);
    CHECK(take(reader).empty());
    app.advance(1ns);
    CHECK(texts_of(take(reader)) == "b/1 c/1 d");
    app.advance(9s);
    CHECK(texts_of(take(reader)) == "a/1");
}

TEST_CASE("a server that does not count says so and gives no count") {
    const server at{options{.counts = counting::none, .delays = false}};
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    settle(reader, take(reader), settle_kind::requeue);
    const auto again = take(reader);
    CHECK(texts_of(again) == "a");
    CHECK(again[0].redelivered);
    const auto can = waybill::memory::broker{at}.capabilities_of(queue("orders"));
    CHECK(can.counts == waybill::detail::count_support::none);
    CHECK(can.requeue == waybill::detail::requeue_support::uncounted);
    CHECK(can.delay == waybill::detail::delay_support::none);
    CHECK_FALSE(can.delays_copies);
}

TEST_CASE("a server that counts returns counts what nobody saw too") {
    const server at{options{.counts = counting::returns, .outlives_crash = true}};
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    settle(reader, take(reader), settle_kind::requeue);
    settle(reader, take(reader), settle_kind::release);
    CHECK(texts_of(take(reader)) == "a/2");
    at.drop_connections();
    CHECK(texts_of(take(reader)) == "a/3");
    at.crash();
    auto hand = take(reader);
    CHECK(texts_of(hand) == "a/4");
    settle(reader, hand, settle_kind::release, 1s);
    app.advance(1s);
    CHECK(texts_of(take(reader)) == "a/5");
    app.readers.clear();
    CHECK(texts_of(take(app.reads(queue("orders")))) == "a/6");

    const auto can = waybill::memory::broker{at}.capabilities_of(queue("orders"));
    CHECK(can.counts == waybill::detail::count_support::returns);
    CHECK(can.requeue == waybill::detail::requeue_support::counted);
    CHECK(can.stop_is_counted);
    CHECK(can.crash_is_counted);
    CHECK(can.delivery_limit == 0);
}

TEST_CASE("the return that raises a count above the delivery limit drops the message, counted") {
    for (const auto kind : {counting::failures, counting::returns}) {
        CAPTURE(static_cast<int>(kind));
        const server at{options{.counts = kind, .outlives_crash = true, .delivery_limit = 2}};
        client app{at};
        auto& reader = app.reads(queue("orders"));
        CHECK(waybill::memory::broker{at}.capabilities_of(queue("orders")).delivery_limit == 2);
        publish_abc(app);
        settle(reader, take(reader), settle_kind::requeue);
        settle(reader, take(reader), settle_kind::requeue);
        const auto hand = take(reader);
        CHECK(texts_of(hand) == "a/2 b/2 c/2");
        settle(reader, {hand[0]}, settle_kind::requeue);
        settle(reader, {hand[1]}, settle_kind::requeue, 1s);
        CHECK(at.dropped_at_limit() == 2);
        CHECK(at.waiting() == 0);
        settle(reader, {hand[2]}, settle_kind::release);
        const bool is_gone = kind == counting::returns;
        const auto last = take(reader);
        CHECK(texts_of(last) == (is_gone ? "" : "c/2"));
        at.drop_connections();
        CHECK(take(reader).empty());
        CHECK(at.dropped_at_limit() == 3);
        settle(reader, last, settle_kind::accept);
        CHECK(at.unsettled() == 0);
    }
}

TEST_CASE("a server that does not count has no delivery limit either") {
    const server at{options{.counts = counting::none, .delivery_limit = 1}};
    client app{at};
    auto& reader = app.reads(queue("orders"));
    REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
    for (int round = 0; round < 4; ++round) settle(reader, take(reader), settle_kind::requeue);
    CHECK(texts_of(take(reader)) == "a");
    CHECK(at.dropped_at_limit() == 0);
    CHECK(waybill::memory::broker{at}.capabilities_of(queue("orders")).delivery_limit == 0);
}

// ---- connections -------------------------------------------------------------------------------

TEST_CASE("after a dropped connection what was in hand comes again, counted, and is stale there") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    publish_abc(app);
    const auto hand = take(reader, 2);
    at.drop_connections();
    CHECK(reader.generation() != hand[0].generation);
    CHECK(text_of(hand[0]) == "a");
    settle(reader, hand, settle_kind::accept);
    CHECK(at.unsettled() == 0);
    const auto again = take(reader);
    CHECK(texts_of(again) == "a/1 b/1 c");
    CHECK(again[0].redelivered);
    settle(reader, again, settle_kind::accept);
    CHECK(at.queued("orders") == 0);
}

TEST_CASE("every way of settling a stale delivery does nothing") {
    for (const auto kind : {settle_kind::accept, settle_kind::requeue, settle_kind::release,
                            settle_kind::reject, settle_kind::leave, settle_kind::nothing}) {
        const server at;
        client app{at};
        auto& reader = app.reads(queue("orders"));
        REQUIRE(app.publish("orders", "a") == publish_status::confirmed);
        const auto hand = take(reader);
        at.drop_connections();
        settle(reader, hand, kind);
        CHECK(texts_of(take(reader)) == "a/1");
        CHECK(at.unsettled() == 1);
        CHECK(at.waiting() == 0);
    }
}

TEST_CASE("a reader that goes gives back what it has, uncounted and in order") {
    const server at;
    client app{at};
    take(app.reads(queue("orders")));
    publish_abc(app);
    auto& reader = *app.readers.back();
    REQUIRE(take(reader, 2).size() == 2);
    app.readers.clear();
    CHECK(at.queued("orders") == 3);
    CHECK(texts_of(take(app.reads(queue("orders")))) == "a b c");
}

TEST_CASE("a closed connection gives back what its readers have and takes no publish") {
    const server at;
    client closing{at};
    client other{at};
    auto& reader = closing.reads(queue("orders"));
    auto& theirs = other.reads(queue("others"));
    publish_abc(closing);
    REQUIRE(other.publish("others", "x") == publish_status::confirmed);
    const auto hand = take(reader, 2);
    const auto kept = take(theirs);
    closing.link().close();
    CHECK(at.queued("orders") == 3);
    CHECK(at.unsettled() == 1);
    CHECK(closing.publish("orders", "d") == publish_status::lost);
    CHECK_FALSE(closing.link().consume(queue("orders"), "orders", closing));
    CHECK_FALSE(closing.link().declare("orders", queue("orders")));
    CHECK(take(reader).empty());
    settle(reader, hand, settle_kind::accept);
    settle(theirs, kept, settle_kind::accept);
    CHECK(texts_of(take(other.reads(queue("orders")))) == "a b c");
}

TEST_CASE("a cancelled reader takes nothing further and can still settle") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    publish_abc(app);
    const auto hand = take(reader, 1);
    reader.cancel();
    CHECK(reader.available() == 0);
    CHECK(take(reader).empty());
    settle(reader, hand, settle_kind::accept);
    CHECK(at.unsettled() == 0);
    CHECK(at.queued("orders") == 2);
}

TEST_CASE("a crash empties the server, unless it outlives crashes") {
    for (const bool outlives : {false, true}) {
        const server at{options{.outlives_crash = outlives}};
        client app{at};
        auto& reader = app.reads(queue("orders"));
        publish_abc(app);
        REQUIRE(app.publish("orders", "late", 10s) == publish_status::confirmed);
        const auto hand = take(reader, 1);
        at.crash();
        settle(reader, hand, settle_kind::accept);
        CAPTURE(outlives);
        CHECK(texts_of(take(reader)) == (outlives ? "a/1 b c" : ""));
        CHECK(at.waiting() == (outlives ? 1 : 0));
        app.advance(10s);
        CHECK(texts_of(take(reader)) == (outlives ? "late" : ""));
        REQUIRE(app.publish("orders", "new") == publish_status::confirmed);
        CHECK(texts_of(take(reader)) == "new");
    }
}

TEST_CASE("planned failures meet the apps' publishes to that address, so many times") {
    const server at;
    client app{at};
    at.fail_publishes("orders", 2);
    CHECK(app.publish("others", "a") == publish_status::confirmed);
    CHECK(at.publish("orders", "outside"));
    CHECK(app.publish("orders", "a") == publish_status::failed);
    CHECK(app.publish("orders", "a") == publish_status::failed);
    CHECK(app.publish("orders", "a") == publish_status::confirmed);
    at.fail_publishes("orders", 5);
    at.fail_publishes("orders", 0);
    CHECK(app.publish("orders", "a") == publish_status::confirmed);
    CHECK(at.queued("orders") == 3);
}

TEST_CASE("a planned fault says how it ends, and whether the message was taken") {
    const server at;
    client app{at};
    const auto fails_as = [&](publish_fault how) {
        at.fail_publishes("orders", 1, how);
        const auto status = app.publish("orders", "a");
        CHECK(app.publish("others", "a") == publish_status::confirmed);
        return status;
    };
    CHECK(fails_as(publish_fault::failed) == publish_status::failed);
    CHECK(fails_as(publish_fault::unroutable) == publish_status::unroutable);
    CHECK(fails_as(publish_fault::refused) == publish_status::refused);
    CHECK(fails_as(publish_fault::lost) == publish_status::lost);
    CHECK(at.queued("orders") == 0);
    CHECK(fails_as(publish_fault::taken_and_lost) == publish_status::lost);
    CHECK(at.queued("orders") == 1);
    CHECK(app.publish("orders", "b") == publish_status::confirmed);
    CHECK(at.queued("orders") == 2);
}

// ---- bytes -------------------------------------------------------------------------------------

TEST_CASE("payloads of every size and their headers arrive byte for byte") {
    const server at;
    client app{at};
    auto& reader = app.reads(queue("orders"));
    auto& copies = app.reads(fan_out("orders"));
    std::vector<std::string> sent;
    for (const std::size_t size : {0U, 1U, 31U, 1024U, 2048U, 2049U, 65'536U, 1U << 20U}) {
        std::string body;
        for (std::size_t byte = 0; byte < size; ++byte) {
            body += static_cast<char>((byte * 7 + size) & 0xFF);
        }
        REQUIRE(at.publish("orders", body, {{"size", size}, {"sum", body}}));
        sent.push_back(std::move(body));
    }
    for (int round = 0; round < 3; ++round) {
        for (auto* from : {&reader, &copies}) {
            const auto all = take(*from);
            REQUIRE(all.size() == sent.size());
            for (std::size_t each = 0; each < all.size(); ++each) {
                CHECK(text_of(all[each]) == sent[each]);
                const auto with = headers::borrow(all[each].packed_headers);
                CHECK(with.find("size") == waybill::header_value{sent[each].size()});
                CHECK(with.text("sum") == sent[each]);
                const volatile auto* behind = all[each].payload.data() + all[each].payload.size();
                unsigned sum = 0;
                for (int byte = 0; byte < 64; ++byte)
                    sum += std::to_integer<unsigned>(behind[byte]);
                CHECK(sum <= 64 * 255);
            }
            settle(*from, all, round < 2 ? settle_kind::requeue : settle_kind::accept);
        }
        at.drop_connections();
    }
    CHECK(at.queued("orders") == 0);
}

TEST_CASE("a thousand addresses keep their messages apart") {
    const server at;
    client app{at};
    for (int each = 0; each < 1000; ++each) {
        const auto name = "address." + std::to_string(each);
        REQUIRE(app.publish(name, name) == publish_status::confirmed);
    }
    for (int each = 0; each < 1000; ++each) {
        const auto name = "address." + std::to_string(each);
        REQUIRE(texts_of(take(app.reads(queue(name)))) == name);
    }
}

// ---- leaving -----------------------------------------------------------------------------------

TEST_CASE("a connection that closes leaves its timers to the clocks of the others") {
    const server at;
    client first{at};
    client second{at};
    CHECK(first.publish("orders", "x", 1s) == publish_status::confirmed);
    CHECK(first.timer_changes == 1);
    CHECK(second.timer_changes == 1);
    first.link().close();
    CHECK(second.timer_changes == 2);
    CHECK(first.timer_changes == 1);
    second.advance(1s);
    CHECK(texts_of(take(second.reads(queue("orders")))) == "x");
}

// ---- sizes -------------------------------------------------------------------------------------

TEST_CASE("a message above 4 GiB is refused, not cut") {
    const server at;
    client app{at};
    const std::byte one{};
    // Nobody reads the bytes.
    const std::span<const std::byte> huge{&one, (std::size_t{1} << 32) + 5};
    CHECK(app.link().publish({"orders", huge, {}}, nullptr) == publish_status::refused);
    const auto sent = at.publish("orders", huge);
    REQUIRE(!sent);
    CHECK(sent.error().code == waybill::errc::refused);
    CHECK(at.queued("orders") == 0);
}

}  // namespace memory_server_test
