#include "settle/execute.hpp"

#include "settle_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std::chrono_literals;

namespace execute_test {

using support::publish_status;
using support::settle_rig;
using support::trace;
using waybill::dead_reason;
using waybill::headers;
using waybill::detail::delay_support;
using waybill::settle::action;

waybill::detail::staging staged(std::initializer_list<std::string_view> addresses) {
    waybill::detail::staging all;
    for (const auto address : addresses) {
        all.begin(address).append("x", 1);
        all.end();
    }
    return all;
}

// ---- publish, confirm, then settle -------------------------------------------------------------

TEST_CASE("an ack and a drop settle positively and publish nothing") {
    settle_rig rig;
    rig.executor.finish(rig.receive(), waybill::ack());
    rig.executor.finish(rig.receive(), waybill::drop());
    rig.turn();
    CHECK(rig.happened() == trace{"accept 1", "accept 2"});
    CHECK(rig.shared.totals.acked == 1);
    CHECK(rig.shared.totals.dropped == 1);
}

TEST_CASE("a drop is logged with its reason") {
    settle_rig rig;
    rig.declared.dead_letter.reset();
    rig.shared.rule.has_dead_letter = false;
    rig.declared.on_exception = waybill::drop();
    const auto said = [&](std::string_view reason) {
        rig.turn();
        const auto line = std::exchange(rig.lines, {}).back();
        return line.find(" dropped ") != line.npos &&
               line.find(" reason=" + std::string{reason} + " ") != line.npos;
    };
    rig.executor.finish(
        rig.receive("b", {{"waybill-retry-count", "4"}, {"waybill-retry-source", "*"}}),
        waybill::retry());
    CHECK(said("attempts"));
    rig.executor.fail(rig.receive(), dead_reason::decode, "no JSON");
    CHECK(said("decode"));
    rig.executor.fail(rig.receive(), dead_reason::exception, "no");
    CHECK(said("exception"));
    rig.executor.finish(rig.receive("b", {{"waybill-expires-at", "1"}}), waybill::retry());
    CHECK(said("expired"));
    rig.executor.finish(rig.receive("b", {{"waybill-retry-source", "x"}}), waybill::retry());
    CHECK(said("foreign_copy"));
    waybill::settle::situation spent;
    spent.attempt = 6;
    spent.own_history = true;
    rig.executor.execute(*plan_on_receipt(rig.shared.rule, spent), rig.receive(), {});
    CHECK(said("redelivered"));
    rig.executor.finish(rig.receive(), waybill::drop());
    CHECK(said("outcome"));
}

TEST_CASE("an exception that spends the last attempt is dropped for its attempts") {
    settle_rig rig;
    rig.declared.dead_letter.reset();
    rig.shared.rule.has_dead_letter = false;
    rig.executor.fail(
        rig.receive("b", {{"waybill-retry-count", "4"}, {"waybill-retry-source", "*"}}),
        dead_reason::exception, "no");
    CHECK(rig.lines.back().find(" dropped subscription=charge reason=attempts ") !=
          std::string::npos);
}

TEST_CASE("a copy is published and confirmed before the original is settled") {
    settle_rig rig;
    rig.executor.finish(rig.receive("body", {{"tag", "a"}}), waybill::retry());
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});
    REQUIRE(rig.transport.sent.size() == 1);
    const auto& copy = rig.transport.sent[0];
    CHECK(copy.payload == "body");
    CHECK(copy.delay == 0s);
    CHECK(copy.with == headers{{"tag", "a"},
                               {"waybill-retry-count", "1"},
                               {"waybill-id", "id-1"},
                               {"waybill-copy", "id-1/1"},
                               {"waybill-retry-source", "orders"}});
}

TEST_CASE("nothing is settled while the confirmation is pending") {
    settle_rig rig;
    rig.transport.answers({publish_status::pending});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.advance(24h);
    CHECK(rig.happened() == trace{"publish orders: pending"});
    CHECK(rig.executor.unfinished() == 1);

    rig.transport.conclude(0, publish_status::confirmed);
    rig.turn();
    CHECK(rig.happened() == trace{"confirmed orders", "accept 1"});
    CHECK(rig.executor.unfinished() == 0);
}

TEST_CASE("confirmations may come in any order, each settles its own delivery") {
    settle_rig rig;
    rig.transport.answers(
        {publish_status::pending, publish_status::pending, publish_status::pending});
    for (int each = 0; each < 3; ++each) rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    rig.happened();
    rig.transport.conclude(2, publish_status::confirmed);
    rig.turn();
    rig.transport.conclude(0, publish_status::failed);
    rig.transport.conclude(1, publish_status::confirmed);
    rig.turn();
    CHECK(rig.happened() ==
          trace{"confirmed orders", "accept 3", "failed orders", "confirmed orders", "accept 2"});
    rig.advance(100ms);
    CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});
}

TEST_CASE(
    "a delayed copy goes to the broker with its delay, or waits in the store where it cannot") {
    settle_rig rig;
    rig.shared.rule.can.delays_copies = true;
    rig.executor.finish(rig.receive(), waybill::retry_after(30s));
    rig.turn();
    CHECK(rig.transport.sent.at(0).delay == 30s);
    CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});

    rig.shared.rule.can.delays_copies = false;
    rig.executor.finish(rig.receive(), waybill::retry_after(30s));
    rig.turn();
    CHECK(rig.happened() == trace{"accept 2"});
    rig.advance(29'999'999'999ns);
    CHECK(rig.happened().empty());
    rig.advance(1ns);
    CHECK(rig.happened() == trace{"publish orders: confirmed"});
    CHECK(rig.transport.sent.at(1).with.text("waybill-retry-count") == "1");
}

// ---- publishes that fail -----------------------------------------------------------------------

TEST_CASE("a failed publish is repeated with growing pauses, and the original is kept") {
    settle_rig rig;
    rig.transport.answers_always(publish_status::failed);
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    std::vector<std::chrono::nanoseconds> pauses;
    auto last = rig.time->now();
    while (pauses.size() < 12) {
        const auto due = rig.timers.next_due();
        REQUIRE(due);
        pauses.push_back(*due - last);
        last = *due;
        rig.advance(*due - rig.time->now());
    }
    CHECK(pauses == std::vector<std::chrono::nanoseconds>{100ms, 200ms, 400ms, 800ms, 1600ms,
                                                          3200ms, 6400ms, 12800ms, 25600ms, 30s,
                                                          30s, 30s});
    CHECK(rig.happened() == trace(13, "publish orders: failed"));

    rig.transport.answers_always(publish_status::confirmed);
    rig.advance(30s);
    CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});
    CHECK(rig.shared.totals.failed_publishes == 13);
    CHECK(rig.shared.totals.retried == 1);
}

TEST_CASE("a copy that no queue took is a failed publish") {
    settle_rig rig;
    rig.transport.answers({publish_status::unroutable, publish_status::pending});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.advance(100ms);
    rig.transport.conclude(1, publish_status::unroutable);
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish orders: unroutable", "publish orders: pending", "unroutable orders"});
    rig.advance(200ms);
    CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});
}

TEST_CASE("while a publish fails the app is in trouble, and well again with the last of them") {
    settle_rig rig;
    rig.transport.answers({publish_status::failed, publish_status::failed});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    CHECK(rig.trouble.describe() ==
          "charge: a message for orders was not taken by the broker; the original is kept and the "
          "publish is repeated");
    rig.transport.answers({publish_status::confirmed, publish_status::failed});
    rig.advance(100ms);
    CHECK_FALSE(rig.trouble.describe().empty());
    rig.advance(200ms);
    CHECK(rig.trouble.describe().empty());
    CHECK(rig.shared.totals.retried == 2);
    CHECK(rig.lines.size() == 3);
}

TEST_CASE("trouble is over when its delivery went away with the connection") {
    settle_rig rig;
    rig.transport.answers({publish_status::failed});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    rig.consumer.reconnect();
    rig.advance(1h);
    CHECK(rig.happened() == trace{"publish orders: failed", "nothing 1"});
    CHECK(rig.trouble.describe().empty());
    CHECK(rig.timers.waiting() == 0);
}

TEST_CASE("a refused dead letter goes without the record, at once") {
    settle_rig rig;
    rig.transport.answers({publish_status::refused});
    rig.executor.fail(rig.receive("body", {{"tag", "a"}}), dead_reason::decode, "bad");
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish orders.dead: refused", "publish orders.dead: confirmed", "accept 1"});
    CHECK(rig.transport.sent.at(0).with.text("waybill-dead-reason") == "decode");
    CHECK(rig.transport.sent.at(1).with == headers{{"tag", "a"},
                                                   {"waybill-retry-count", "1"},
                                                   {"waybill-id", "id-1"},
                                                   {"waybill-copy", "id-1/1"}});
    CHECK(rig.trouble.describe().empty());
}

TEST_CASE("a refused retry copy goes to the dead letter as it arrived, without the record") {
    settle_rig rig;
    rig.shared.on_retry_copy = [](waybill::outgoing& copy, const waybill::delivery&) {
        copy.set_payload(std::as_bytes(std::span{"larger", 6}));
    };
    rig.transport.answers({publish_status::refused});
    rig.executor.finish(rig.receive("body", {{"tag", "a"}}), waybill::retry_after(0s));
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish orders: refused", "publish orders.dead: confirmed", "accept 1"});
    const auto& dead = rig.transport.sent.at(1);
    CHECK(dead.payload == "body");
    CHECK(dead.with == headers{{"tag", "a"},
                               {"waybill-retry-count", "1"},
                               {"waybill-id", "id-1"},
                               {"waybill-copy", "id-1/1"}});
    CHECK(rig.shared.totals.dead_lettered == 1);
    CHECK(rig.shared.totals.retried == 0);
}

TEST_CASE("a dead letter that goes without its record waits as long as one with it") {
    settle_rig rig;
    rig.shared.rule.can.delays_copies = true;
    rig.transport.answers({publish_status::refused, publish_status::confirmed,
                           publish_status::refused, publish_status::confirmed});
    rig.executor.finish(rig.receive("body", {{"waybill-dead-count", "2"}}), waybill::retry());
    rig.executor.fail(rig.receive("body", {{"waybill-dead-count", "3"}}), dead_reason::decode, "");
    rig.turn();
    REQUIRE(rig.transport.sent.size() == 4);
    CHECK(rig.transport.sent[1].delay == 2s);
    CHECK(rig.transport.sent[3].delay == 4s);
}

TEST_CASE("a refusal that comes as a late confirmation is answered like one that comes at once") {
    settle_rig rig;
    rig.transport.answers_always(publish_status::pending);
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    rig.transport.conclude(0, publish_status::refused);
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish orders: pending", "refused orders", "publish orders.dead: pending"});
    rig.transport.conclude(1, publish_status::confirmed);
    rig.turn();
    CHECK(rig.happened() == trace{"confirmed orders.dead", "accept 1"});
    CHECK(rig.executor.unfinished() == 0);
}

TEST_CASE("what waits here and is refused at its time goes to the dead letter without a record") {
    for (const std::string what : {"copy", "early copy", "second dead letter"}) {
        CAPTURE(what);
        settle_rig rig;
        if (what == "copy") rig.executor.finish(rig.receive(), waybill::retry_after(10s));
        if (what == "early copy") {
            rig.executor.wait_on(rig.receive("body", {{"waybill-retry-source", "orders"}}), 10s);
        }
        if (what == "second dead letter") {
            rig.executor.fail(rig.receive("body", {{"waybill-dead-count", "5"}}),
                              dead_reason::decode, "no");
        }
        rig.turn();
        CHECK(rig.happened() == trace{"accept 1"});
        rig.transport.answers({publish_status::refused});
        rig.advance(30s);
        REQUIRE(rig.transport.sent.size() == 2);
        const auto& last = rig.transport.sent.back();
        CHECK(last.address == "orders.dead");
        CHECK(last.payload == "body");
        CHECK_FALSE(last.with.contains("waybill-retry-source"));
        CHECK_FALSE(last.with.contains("waybill-dead-reason"));
        CHECK_FALSE(last.with.contains("waybill-dead-count"));
        CHECK(rig.store.waiting() == 0);
    }
}

TEST_CASE("a dead letter that waits without its record has no form left: it is kept") {
    settle_rig rig;
    rig.transport.answers_always(publish_status::refused);
    rig.executor.finish(
        rig.receive("body", {{"waybill-dead-count", "1"}, {"waybill-retry-source", "x"}}),
        waybill::retry());
    rig.advance(2min);
    CHECK(rig.happened() == trace{"accept 1", "publish orders.dead: refused",
                                  "publish orders.dead: refused", "publish orders.dead: refused"});
    CHECK(rig.store.waiting() == 1);
}

TEST_CASE("what is refused in every form is rejected where the broker keeps what is rejected") {
    settle_rig rig;
    rig.shared.rule.can.keeps_rejected = true;
    rig.transport.answers_always(publish_status::refused);
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish orders: refused", "publish orders.dead: refused", "reject 1"});
    rig.executor.fail(rig.receive(), dead_reason::decode, "bad");
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish orders.dead: refused", "publish orders.dead: refused", "reject 2"});
    rig.declared.dead_letter.reset();
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders: refused", "reject 3"});
    CHECK(rig.shared.totals.rejected == 3);
    CHECK(rig.trouble.describe().empty());
    CHECK(rig.executor.unfinished() == 0);
}

TEST_CASE("what nobody takes in any form is parked, passed over and tried every minute") {
    settle_rig rig;
    rig.transport.answers_always(publish_status::refused);
    rig.executor.fail(rig.receive(), dead_reason::decode, "bad");
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders.dead: refused", "publish orders.dead: refused",
                                  "publish orders: refused", "publish orders.dead: refused"});
    rig.executor.finish(rig.receive(), waybill::ack());
    rig.turn();
    CHECK(rig.happened() == trace{"accept 3"});
    rig.advance(10min);
    CHECK(rig.happened().size() == 20);
    CHECK(rig.trouble.describe().find("orders.dead was refused") != std::string::npos);

    rig.transport.answers_always(publish_status::confirmed);
    rig.advance(1min);
    auto ended = rig.happened();
    std::ranges::sort(ended);
    CHECK(ended == trace{"accept 1", "accept 2", "publish orders.dead: confirmed",
                         "publish orders.dead: confirmed"});
    CHECK(rig.trouble.describe().empty());
}

// ---- connections that fall ---------------------------------------------------------------------

TEST_CASE("a stale delivery publishes nothing and settles as nothing, whatever the answer") {
    for (const auto answer :
         {waybill::ack(), waybill::retry(), waybill::retry_after(30s), waybill::drop()}) {
        settle_rig rig;
        const auto file = rig.receive();
        rig.consumer.reconnect();
        rig.executor.finish(file, answer);
        rig.advance(1h);
        CAPTURE(answer);
        CHECK(rig.happened() == trace{"nothing 1"});
        CHECK(rig.shared.totals.stale == 1);
    }
}

TEST_CASE(
    "what comes early and is no copy of this reader's own is held: others have one of it too") {
    settle_rig rig;
    rig.executor.wait_on(rig.receive("body", {{"waybill-dead-count", "2"}}), 10s);
    rig.turn();
    CHECK(rig.happened().empty());
    CHECK(rig.executor.unfinished() == 1);
    rig.advance(10s);
    CHECK(rig.happened() == trace{"release 1"});
    CHECK(rig.transport.sent.empty());
    CHECK(rig.executor.unfinished() == 0);
}

TEST_CASE("a stale delivery that threw, could not be read or staged something publishes nothing") {
    settle_rig rig;
    rig.declared.on_exception = waybill::to_dead_letter;
    const auto thrown = rig.receive();
    const auto unread = rig.receive();
    const auto replied = rig.receive();
    const auto early = rig.receive();
    rig.consumer.reconnect();
    auto messages = staged({"paid"});
    rig.executor.fail(thrown, dead_reason::exception, "thrown");
    rig.executor.fail(unread, dead_reason::decode, "bad");
    rig.executor.publish_then_ack(replied, messages);
    rig.executor.wait_on(early, 5s);
    rig.advance(1h);
    CHECK(rig.happened() == trace{"nothing 1", "nothing 2", "nothing 3", "nothing 4"});
    CHECK(messages.empty());
}

TEST_CASE("a copy that was lost with the connection settles as nothing: the message comes again") {
    settle_rig rig;
    rig.transport.answers({publish_status::pending});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    rig.consumer.reconnect();
    rig.transport.conclude(0, publish_status::lost);
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders: pending", "lost orders", "nothing 1"});
    CHECK(rig.executor.unfinished() == 0);
}

TEST_CASE("a copy lost with another connection than the delivery's is published again") {
    settle_rig rig;
    rig.transport.answers({publish_status::lost});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.advance(100ms);
    CHECK(rig.happened() == trace{"publish orders: lost", "publish orders: confirmed", "accept 1"});
}

TEST_CASE("a repeat that finds its delivery stale publishes nothing") {
    settle_rig rig;
    rig.transport.answers({publish_status::failed});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.turn();
    rig.happened();
    rig.consumer.reconnect();
    rig.advance(100ms);
    CHECK(rig.happened() == trace{"nothing 1"});
}

// ---- what a handler staged ---------------------------------------------------------------------

TEST_CASE("a delivery is acked when all that its handler staged is confirmed") {
    settle_rig rig;
    rig.transport.answers(
        {publish_status::pending, publish_status::confirmed, publish_status::pending});
    auto messages = staged({"paid", "mail", "log"});
    rig.executor.publish_then_ack(rig.receive(), messages);
    CHECK(messages.empty());
    rig.turn();
    rig.transport.conclude(2, publish_status::confirmed);
    rig.turn();
    CHECK(rig.happened() == trace{"publish paid: pending", "publish mail: confirmed",
                                  "publish log: pending", "confirmed log"});
    CHECK(rig.executor.unfinished() == 1);
    rig.transport.conclude(0, publish_status::confirmed);
    rig.turn();
    CHECK(rig.happened() == trace{"confirmed paid", "accept 1"});
}

TEST_CASE("a staged publish that is not taken is a failure of the handler") {
    for (const auto status :
         {publish_status::failed, publish_status::unroutable, publish_status::refused}) {
        settle_rig rig;
        rig.transport.answers({publish_status::confirmed, publish_status::pending});
        auto messages = staged({"paid", "mail"});
        rig.executor.publish_then_ack(rig.receive(), messages);
        rig.transport.conclude(1, status);
        rig.turn();
        CAPTURE(std::string{support::name_of(status)});
        CHECK(rig.happened().back() == "accept 1");
        CHECK(rig.transport.sent.back().address == "orders");
        CHECK(rig.transport.sent.back().with.text("waybill-retry-count") == "1");
        CHECK(rig.shared.totals.acked == 0);
        CHECK(rig.shared.totals.retried == 1);
    }
}

TEST_CASE("a failure of what was staged follows on_exception") {
    settle_rig rig;
    rig.declared.on_exception = waybill::to_dead_letter;
    rig.transport.answers({publish_status::refused});
    auto messages = staged({"paid"});
    rig.executor.publish_then_ack(rig.receive(), messages);
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish paid: refused", "publish orders.dead: confirmed", "accept 1"});
    CHECK(rig.transport.sent.at(1).with.text("waybill-dead-reason") == "exception");
    CHECK(
        rig.transport.sent.at(1).with.text("waybill-dead-error") ==
        "a message that the handler published (the first was for paid) was refused by the broker");
}

TEST_CASE("staged publishes that were lost with the connection charge nothing") {
    settle_rig rig;
    rig.transport.answers({publish_status::refused, publish_status::pending});
    auto messages = staged({"paid", "mail"});
    rig.executor.publish_then_ack(rig.receive(), messages);
    rig.turn();
    rig.consumer.reconnect();
    rig.transport.conclude(1, publish_status::lost);
    rig.turn();
    CHECK(rig.happened() ==
          trace{"publish paid: refused", "publish mail: pending", "lost mail", "nothing 1"});
}

TEST_CASE("staged publishes lost with another connection give the delivery back uncounted") {
    settle_rig rig;
    rig.transport.answers({publish_status::lost});
    auto messages = staged({"paid"});
    rig.executor.publish_then_ack(rig.receive(), messages);
    rig.turn();
    CHECK(rig.happened() == trace{"publish paid: lost", "release 1"});
}

// ---- the hook on retry copies ------------------------------------------------------------------

TEST_CASE("a hook changes the payload and the headers of a retry copy") {
    settle_rig rig;
    rig.shared.on_retry_copy = [](waybill::outgoing& copy, const waybill::delivery& from) {
        CHECK(copy.headers().text("waybill-retry-count") == "1");
        copy.headers().set("x-from", from.address()).remove("tag");
        copy.set_payload(std::as_bytes(std::span{"new", 3}));
    };
    rig.executor.finish(rig.receive("body", {{"tag", "a"}, {"kept", "k"}}), waybill::retry());
    rig.turn();
    const auto& copy = rig.transport.sent.at(0);
    CHECK(copy.address == "orders");
    CHECK(copy.payload == "new");
    CHECK(copy.with == headers{{"kept", "k"},
                               {"x-from", "orders"},
                               {"waybill-retry-count", "1"},
                               {"waybill-id", "id-1"},
                               {"waybill-copy", "id-1/1"},
                               {"waybill-retry-source", "orders"}});
}

TEST_CASE("a hook cannot take the count off a copy, so the cap holds") {
    settle_rig rig;
    rig.shared.on_retry_copy = [](waybill::outgoing& copy, const waybill::delivery&) {
        copy.headers().clear();
        copy.headers().append("waybill-retry-count", "0").append("waybill-retry-source", "x");
    };
    rig.executor.finish(rig.receive("b", {{"waybill-retry-count", "3"}}), waybill::retry());
    rig.turn();
    CHECK(rig.transport.sent.at(0).with == headers{{"waybill-retry-count", "4"},
                                                   {"waybill-id", "id-1"},
                                                   {"waybill-copy", "id-1/4"},
                                                   {"waybill-retry-source", "orders"}});
}

TEST_CASE("a hook that throws is logged, and the copy goes unchanged") {
    for (const bool standard : {true, false}) {
        settle_rig rig;
        rig.shared.on_retry_copy = [standard](waybill::outgoing& copy, const waybill::delivery&) {
            copy.headers().clear();
            copy.set_payload({});
            if (standard) throw std::runtime_error("no disk");
            throw 7;
        };
        rig.executor.finish(rig.receive("body", {{"tag", "a"}}), waybill::retry());
        rig.turn();
        CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});
        CHECK(rig.transport.sent.at(0).payload == "body");
        CHECK(rig.transport.sent.at(0).with.text("tag") == "a");
        CHECK(rig.transport.sent.at(0).with.text("waybill-retry-count") == "1");
        REQUIRE(rig.lines.size() == 1);
        const auto* said = standard ? "error=\"no disk\"" : "error=\"not a std::exception\"";
        CHECK(rig.lines[0].find("copy_hook_failed") != std::string::npos);
        CHECK(rig.lines[0].find(said) != std::string::npos);
    }
}

// ---- dead letters ------------------------------------------------------------------------------

TEST_CASE("the last attempt goes to the dead letter with the headers as they arrived") {
    settle_rig rig;
    const headers arrived{{"tag", "a"}, {"tag", "b"}, {"n", 7}};
    auto with = arrived;
    with.append("waybill-retry-count", "4").append("waybill-retry-source", "orders");
    with.append("waybill-id", "root");
    rig.executor.finish(rig.receive("body", with), waybill::retry_after(30s), "busy");
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders.dead: confirmed", "accept 1"});
    const auto& dead = rig.transport.sent.at(0);
    CHECK(dead.payload == "body");
    CHECK(dead.delay == 0s);
    auto wanted = arrived;
    wanted.append("waybill-retry-count", "5")
        .append("waybill-id", "root")
        .append("waybill-copy", "root/5")
        .append("waybill-dead-reason", "attempts")
        .append("waybill-dead-attempts", "5")
        .append("waybill-dead-count", "1")
        .append("waybill-dead-at", "946684800000")
        .append("waybill-dead-first-at", "946684800000")
        .append("waybill-dead-source", "orders")
        .append("waybill-dead-handler", "charge")
        .append("waybill-dead-host", "host")
        .append("waybill-dead-error", "busy");
    CHECK(dead.with == wanted);
}

TEST_CASE("further deaths keep the first time, count up, and wait 1 s doubling to 5 min") {
    settle_rig rig;
    rig.shared.rule.can.delays_copies = true;
    headers with;
    std::vector<std::chrono::nanoseconds> delays;
    for (int death = 1; death <= 12; ++death) {
        rig.executor.fail(rig.receive("body", with), dead_reason::decode, "bad");
        rig.turn();
        const auto& dead = rig.transport.sent.back();
        CHECK(dead.with.text("waybill-dead-count") == std::to_string(death));
        CHECK(dead.with.text("waybill-dead-first-at") == "946684800000");
        CHECK(dead.with.text("waybill-dead-at") ==
              std::to_string(946684800000 + 1000LL * (death - 1)));
        delays.push_back(dead.delay);
        with = dead.with;
        rig.time->advance_by(1s);
    }
    CHECK(delays == std::vector<std::chrono::nanoseconds>{0s, 1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s,
                                                          256s, 5min, 5min});
}

TEST_CASE("what the check on receipt ends carries the deliveries that had a handler") {
    settle_rig rig;
    const auto file = rig.receive("body", {}, 5);
    REQUIRE(file.attempt == 6);
    const auto ends = plan_on_receipt(rig.shared.rule, rig.executor.situation_of(file));
    REQUIRE(ends);
    rig.executor.execute(*ends, file, {});
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders.dead: confirmed", "accept 1"});
    CHECK(rig.transport.sent.at(0).with.text("waybill-retry-count") == "5");
    CHECK(rig.transport.sent.at(0).with.text("waybill-dead-attempts") == "5");
    CHECK(rig.transport.sent.at(0).with.text("waybill-dead-reason") == "redelivered");
}

TEST_CASE("near the broker's own limit a delivery is copied, uncharged, before its handler runs") {
    settle_rig rig;
    rig.shared.rule.cap = 100;
    rig.shared.rule.can.counts = waybill::detail::count_support::failures;
    rig.shared.rule.can.delivery_limit = 20;
    const auto file = rig.receive(
        "body", {{"waybill-retry-count", "30"}, {"waybill-retry-source", "orders"}}, 18);
    REQUIRE(file.attempt == 24);  // the rig's reader has a cap of 5, which bounds what is carried
    const auto moves = plan_on_receipt(rig.shared.rule, rig.executor.situation_of(file));
    REQUIRE(moves);
    rig.executor.execute(*moves, file, {});
    rig.turn();
    CHECK(rig.happened() == trace{"publish orders: confirmed", "accept 1"});
    CHECK(rig.transport.sent.at(0).with.text("waybill-retry-count") == "23");
    CHECK(rig.transport.sent.at(0).delay == 0s);
}

TEST_CASE(
    "the first copy writes down when the broker's time to live ends, and further ones keep it") {
    settle_rig rig;
    auto file = rig.receive();
    file.from.expires_at_ms = 946684800000 + 60'000;
    rig.executor.finish(file, waybill::retry_after(59s));
    rig.executor.finish(file, waybill::retry_after(60s));
    rig.advance(59s);
    CHECK(rig.happened() == trace{"publish orders.dead: confirmed", "accept 1", "accept 1",
                                  "publish orders: confirmed"});
    CHECK_FALSE(rig.transport.sent.at(0).with.contains("waybill-expires-at"));
    CHECK(rig.transport.sent.at(0).with.text("waybill-dead-reason") == "expired");
    const auto copy = rig.transport.sent.at(1).with;
    CHECK(copy.text("waybill-expires-at") == "946684860000");

    auto second = rig.receive("body", copy);
    second.from.expires_at_ms = 946684800000 + 120'000;
    rig.executor.finish(second, waybill::retry());
    rig.turn();
    CHECK(rig.transport.sent.at(2).with.text("waybill-expires-at") == "946684860000");
}

TEST_CASE("a time to live or a due time at the end of the calendar does not wrap round") {
    settle_rig rig;
    rig.executor.finish(rig.receive("b", {{"waybill-expires-at", "9223372036854775807"}}),
                        waybill::retry_after(1h));
    rig.turn();
    CHECK(rig.happened() == trace{"accept 1"});
    CHECK(rig.store.waiting() == 1);
    rig.executor.finish(rig.receive("b", {{"waybill-expires-at", "1"}}), waybill::retry());
    rig.turn();
    CHECK(rig.transport.sent.back().with.text("waybill-dead-reason") == "expired");
}

// ---- held deliveries and the stop --------------------------------------------------------------

TEST_CASE("a held delivery is given back when its delay has passed, not before") {
    settle_rig rig;
    rig.shared.rule.can.requeue = waybill::detail::requeue_support::counted;
    rig.shared.rule.can.counts = waybill::detail::count_support::failures;
    rig.shared.rule.can.delay = delay_support::held;
    rig.executor.finish(rig.receive(), waybill::retry_after(30s));
    rig.executor.finish(rig.receive(), waybill::retry_after(10s));
    rig.advance(9'999'999'999ns);
    CHECK(rig.happened().empty());
    rig.advance(1ns);
    CHECK(rig.happened() == trace{"requeue 2"});
    rig.advance(20s);
    CHECK(rig.happened() == trace{"requeue 1"});
    CHECK(rig.executor.unfinished() == 0);
}

TEST_CASE("a stop gives back what is held or repeated, and awaits the confirmations under way") {
    settle_rig rig;
    rig.transport.answers(
        {publish_status::failed, publish_status::pending, publish_status::pending});
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.executor.finish(rig.receive(), waybill::retry());
    rig.executor.execute({10s, action::hold, {}, false}, rig.receive(), {});
    rig.turn();
    rig.happened();

    rig.executor.wind_down();
    rig.executor.wind_down();
    rig.turn();
    CHECK(rig.happened() == trace{"release 1", "requeue 4"});
    CHECK(rig.executor.unfinished() == 2);
    CHECK(rig.trouble.describe().empty());

    rig.transport.conclude(1, publish_status::confirmed);
    rig.transport.conclude(2, publish_status::failed);
    rig.advance(1h);
    CHECK(rig.happened() == trace{"confirmed orders", "failed orders", "accept 2", "release 3"});
    CHECK(rig.executor.unfinished() == 0);
}

// ---- every plan, every answer of the broker ----------------------------------------------------

TEST_CASE(
    "each delivery is settled exactly once, whatever is decided and whatever the broker says") {
    using enum action;
    for (const auto act :
         {accept, requeue, requeue_after, hold, copy, dead_letter, reject, leave, nothing}) {
        for (const auto first :
             {publish_status::confirmed, publish_status::failed, publish_status::unroutable,
              publish_status::refused, publish_status::lost}) {
            for (const bool pending : {false, true}) {
                settle_rig rig;
                if (pending) {
                    rig.transport.answers({publish_status::pending});
                } else {
                    rig.transport.answers({first});
                }
                const bool waits = act == requeue_after || act == hold;
                const auto delay = waits ? 1s : 0s;
                rig.executor.execute({delay, act, {}, false}, rig.receive(), {});
                rig.turn();
                if (pending && !rig.transport.sent.empty()) rig.transport.conclude(0, first);
                rig.advance(1h);
                std::size_t settled = 0;
                for (const auto& line : rig.happened()) settled += line.find(" 1") != line.npos;
                CAPTURE(static_cast<int>(act));
                CAPTURE(std::string{support::name_of(first)});
                CHECK(settled == 1);
                CHECK(rig.executor.unfinished() == 0);
                CHECK(rig.trouble.describe().empty());
            }
        }
    }
}

TEST_CASE("a hundred rounds of one delivery use the same memory and keep their own bytes") {
    settle_rig rig;
    for (int round = 0; round < 100; ++round) {
        const auto body = std::string(static_cast<std::size_t>(round) * 10, 'b');
        rig.executor.finish(rig.receive(body, {{"n", round}}), waybill::retry());
        rig.turn();
        const auto& copy = rig.transport.sent.at(static_cast<std::size_t>(round));
        REQUIRE(copy.payload == body);
        REQUIRE(copy.with.find("n") == waybill::header_value{round});
        REQUIRE(copy.with.text("waybill-id") == "id-" + std::to_string(round + 1));
    }
}

}  // namespace execute_test
