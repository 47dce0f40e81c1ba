#include "shop.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace memory_app_test {

using support::always;
using support::attempts;
using support::copies_only;
using support::payloads;
using support::shop;
using support::times;
using waybill::headers;
using waybill::test_app;
using waybill::memory::counting;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

// ---- every kind of server ----------------------------------------------------------------------

TEST_CASE("whoever counts and delays, the attempts, the times and the dead letter are the same") {
    for (const bool counts : {true, false}) {
        for (const bool delays : {true, false}) {
            const server at{
                options{.counts = counts ? counting::failures : counting::none, .delays = delays}};
            test_app tb{shop(at, always(waybill::retry_after(30s)), 4)};
            tb.publish_raw("orders", "a", {{"tag", "x"}, {"tag", "y"}});
            tb.advance(10min);
            CAPTURE(counts);
            CAPTURE(delays);
            CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3, 4});
            CHECK(times(tb) == std::vector<std::chrono::nanoseconds>{0s, 30s, 60s, 90s});
            REQUIRE(tb.published("orders.dead") == 1);
            const auto dead = tb.published("orders.dead")[0];
            CHECK(dead.at == 90s);
            CHECK(dead.text() == "a");
            CHECK(dead.with.text("waybill-retry-count") == "4");
            CHECK_FALSE(dead.with.contains("waybill-retry-source"));
            CHECK(at.queued("orders") == 0);
            CHECK(at.queued("orders.dead") == 1);
            CHECK(at.unsettled() == 0);
            CHECK(at.waiting() == 0);
        }
    }
}

TEST_CASE("a copy returns to the nanosecond and not before") {
    for (const bool delays : {true, false}) {
        test_app tb{shop(server{options{.counts = delays ? counting::failures : counting::none,
                                        .delays = delays}},
                         always(waybill::retry_after(30s)), 0)};
        tb.publish_raw("orders", "a");
        tb.advance(29'999'999'999ns);
        CHECK(tb.calls("charge") == 1);
        tb.advance(1ns);
        CHECK(tb.calls("charge") == 2);
    }
}

TEST_CASE("only where the server neither counts nor delays are retries copies") {
    test_app native{shop(server{}, always(waybill::retry()), 3)};
    native.publish_raw("orders", "a");
    CHECK(native.published("orders") == 0);

    test_app copying{shop(server{copies_only}, always(waybill::retry()), 3)};
    copying.publish_raw("orders", "a");
    REQUIRE(copying.published("orders") == 2);
    CHECK(copying.published("orders")[1].with.text("waybill-retry-count") == "2");
    CHECK(copying.published("orders")[1].with.text("waybill-retry-source") == "orders");
}

TEST_CASE("a retry address takes the copies, and a reader there goes on counting") {
    const server at;
    auto app = shop(at, always(waybill::retry()), 3,
                    [](auto& charge) { charge.retry_to("orders.again"); });
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a");
    CHECK(tb.calls("charge") == 1);
    REQUIRE(tb.published("orders.again") == 1);
    CHECK(tb.published("orders.again")[0].with.text("waybill-retry-source") == "*");
    CHECK(at.queued("orders.again") == 1);
    tb.publish_raw("orders", "b", tb.published("orders.again")[0].with);
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2});
    CHECK(tb.published("orders.again")[1].with.text("waybill-retry-count") == "2");
}

// ---- connections and crashes -------------------------------------------------------------------

TEST_CASE("a connection that drops inside a handler makes its answer void, and is counted") {
    for (const auto answer :
         {waybill::ack(), waybill::retry(), waybill::retry_after(1h), waybill::drop()}) {
        const server at;
        bool drops = true;
        test_app tb{shop(
            at,
            [&](std::uint32_t) {
                if (std::exchange(drops, false)) at.drop_connections();
                return answer;
            },
            2)};
        tb.publish_raw("orders", "a");
        CAPTURE(answer);
        CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2});
        const bool spent = answer == waybill::retry() || answer == waybill::retry_after(1h);
        CHECK(tb.published("orders.dead") == (spent ? 1 : 0));
        CHECK(at.queued("orders") == 0);
        CHECK(at.waiting() == 0);
    }
}

TEST_CASE("a message that drops the connection every time ends in the dead letter at the cap") {
    const server at;
    test_app tb{shop(
        at,
        [&](std::uint32_t) {
            at.drop_connections();
            return waybill::ack();
        },
        3)};
    tb.publish_raw("orders", "a");
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3});
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].with.text("waybill-dead-reason") == "redelivered");
    CHECK(tb.published("orders.dead")[0].with.text("waybill-retry-count") == "3");
}

TEST_CASE("a crash loses everything, or with outlives_crash nothing") {
    for (const bool outlives : {false, true}) {
        const server at{options{.outlives_crash = outlives}};
        const auto time = [&] {
            test_app tb{shop(at, always(waybill::retry_after(10s)), 5)};
            tb.publish_raw("orders", "a");
            REQUIRE(at.waiting() == 1);
            at.crash();
            return tb.time();
        }();
        test_app tb{shop(at, always(waybill::ack()), 5), waybill::with_clock(time)};
        tb.advance(10s);
        CAPTURE(outlives);
        CHECK(attempts(tb) ==
              (outlives ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{}));
    }
}

// ---- stop and start ----------------------------------------------------------------------------

TEST_CASE("a restart finds what was queued and what waits, with the counts and in order") {
    const server at;
    std::shared_ptr<waybill::manual_clock> time;
    {
        test_app tb{shop(at, always(waybill::retry_after(10s)), 5)};
        time = tb.time();
        tb.publish_raw("orders", "a");
        tb.advance(10s);
        CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2});
        CHECK(tb.stop());
    }
    for (const auto* text : {"b", "c", "d"}) REQUIRE(at.publish("orders", text));
    test_app tb{shop(at, always(waybill::ack()), 5), waybill::with_clock(time)};
    CHECK(payloads(tb) == "bcd");
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 1, 1});
    tb.advance(9'999'999'999ns);
    CHECK(payloads(tb) == "bcd");
    tb.advance(1ns);
    CHECK(payloads(tb) == "bcda");
    CHECK(attempts(tb).back() == 3);
}

TEST_CASE("a stop gives back what a handler has not settled, uncounted and first in line") {
    const server at;
    std::vector<waybill::settlement> kept;
    const auto later = [&](const server& to) {
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{to})
            .subscribe(queue("orders"),
                       [&](waybill::settlement s) { kept.push_back(std::move(s)); })
            .name("charge");
        return app;
    };
    {
        test_app tb{later(at)};
        for (const auto* text : {"a", "b", "c"}) tb.publish_raw("orders", text);
        CHECK(tb.calls("charge") == 1);
        CHECK_FALSE(tb.stop());
    }
    CHECK(at.queued("orders") == 3);
    std::move(kept.front()).ack();
    CHECK(at.queued("orders") == 3);
    test_app tb{shop(at, always(waybill::ack()), 5)};
    CHECK(payloads(tb) == "abc");
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 1, 1});
}

TEST_CASE("a stop while a dead letter cannot be published gives the message back, in time") {
    const server at;
    {
        test_app tb{shop(at, always(waybill::retry()), 2)};
        at.fail_publishes("orders.dead", 1'000'000);
        tb.publish_raw("orders", "a");
        tb.advance(1h);
        CHECK(tb.health().state == waybill::health_state::degraded);
        CHECK(tb.stop());
        tb.advance(1h);
        CHECK(at.queued("orders") == 1);
        CHECK(at.unsettled() == 0);
    }
    at.fail_publishes("orders.dead", 0);
    test_app tb{shop(at, always(waybill::retry()), 2)};
    CHECK(attempts(tb) == std::vector<std::uint32_t>{2});
    CHECK(tb.published("orders.dead") == 1);
}

TEST_CASE("a stop publishes what waits in memory at once, and its next reader waits on uncharged") {
    const server at{copies_only};
    std::shared_ptr<waybill::manual_clock> time;
    {
        test_app tb{shop(at, always(waybill::retry_after(30s)), 5)};
        time = tb.time();
        tb.publish_raw("orders", "a", {{"tag", "x"}});
        tb.advance(10s);
        CHECK(at.queued("orders") == 0);
        CHECK(tb.stop());
    }
    CHECK(at.queued("orders") == 1);
    {
        test_app tb{shop(at, always(waybill::ack()), 5), waybill::with_clock(time)};
        tb.advance(5s);
        CHECK(tb.calls("charge") == 0);
        CHECK(tb.stop());
    }
    CHECK(at.queued("orders") == 1);
    test_app tb{shop(at, always(waybill::ack()), 5), waybill::with_clock(time)};
    tb.advance(14'999'999'999ns);
    CHECK(tb.calls("charge") == 0);
    tb.advance(1ns);
    CHECK(attempts(tb) == std::vector<std::uint32_t>{2});
    CHECK(tb.calls("charge")[0].with.text("tag") == "x");
    CHECK(tb.calls("charge")[0].with.find("waybill-due"));
    CHECK(at.queued("orders") == 0);
}

TEST_CASE("a server that delays keeps a copy that comes early, and nothing is charged") {
    for (const bool native : {true, false}) {
        const server at{
            options{.counts = native ? counting::failures : counting::none, .delays = native}};
        test_app tb{shop(at, always(waybill::ack()), 5)};
        const auto due = std::to_string((tb.time()->wall() + 20s).count());
        tb.publish_raw("orders", "a", {{"waybill-due", due}});
        CHECK(tb.calls("charge") == 0);
        tb.advance(19'999'999'999ns);
        CHECK(tb.calls("charge") == 0);
        tb.advance(1ns);
        CHECK(attempts(tb) == std::vector<std::uint32_t>{1});
    }
}

TEST_CASE(
    "another reader's copy that comes early does not wait, which would send it to all again") {
    for (const bool native : {true, false}) {
        const server at{
            options{.counts = native ? counting::failures : counting::none, .delays = native}};
        test_app tb{shop(at, always(waybill::ack()), 5)};
        const auto due = std::to_string((tb.time()->wall() + 20s).count());
        tb.publish_raw("orders", "a", {{"waybill-due", due}, {"waybill-retry-source", "audits"}});
        CHECK(tb.calls("charge") == 1);
        tb.advance(1min);
        CHECK(tb.calls("charge") == 1);
    }
}

TEST_CASE("a due time at the end of the calendar waits, and does not go round") {
    for (const bool native : {true, false}) {
        const server at{
            options{.counts = native ? counting::failures : counting::none, .delays = native}};
        test_app tb{shop(at, always(waybill::ack()), 5)};
        tb.publish_raw("orders", "a", {{"waybill-due", "9223372036854775807"}});
        tb.publish_raw("orders", "b", {{"waybill-due", "99999999999999999999999999"}});
        tb.publish_raw("orders", "c", {{"waybill-due", "-5"}});
        tb.advance(std::chrono::hours{24 * 365 * 100});
        CHECK(payloads(tb) == "c");
    }
}

// ---- dead letters ------------------------------------------------------------------------------

TEST_CASE("a dead letter that is moved back by hand has all its attempts, and its history") {
    test_app tb{shop(server{}, always(waybill::retry()), 3)};
    tb.publish_raw("orders", "a");
    const auto first = tb.published("orders.dead")[0];
    tb.advance(1h);
    tb.publish_raw("orders", first.text(), first.with);
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3});
    REQUIRE(tb.published("orders.dead") == 2);
    const auto second = tb.published("orders.dead")[1];
    CHECK(second.with.text("waybill-dead-count") == "2");
    CHECK(second.with.text("waybill-dead-first-at") == first.with.text("waybill-dead-first-at"));
    CHECK(second.with.text("waybill-dead-at") != first.with.text("waybill-dead-at"));
    CHECK(second.with.text("waybill-id") == first.with.text("waybill-id"));
}

TEST_CASE("the reader of a dead letter has all its attempts") {
    const server at;
    auto app = shop(at, always(waybill::retry()), 5);
    app.broker(waybill::memory::broker{at})
        .subscribe(queue("orders.dead"),
                   [](std::span<const std::byte>) { return waybill::retry(); })
        .name("review")
        .max_attempts(3)
        .dead_letter("orders.lost");
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a");
    CHECK(tb.calls("charge") == 5);
    CHECK(tb.calls("review") == 3);
    tb.advance(1s);
    REQUIRE(tb.published("orders.lost") == 1);
    CHECK(tb.published("orders.lost")[0].with.text("waybill-retry-count") == "3");
    CHECK(tb.published("orders.lost")[0].with.text("waybill-dead-count") == "2");
}

TEST_CASE("a neighbour on a topic has one attempt at another reader's copy") {
    const server at{copies_only};
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    const auto retries = [](std::span<const std::byte>) { return waybill::retry(); };
    const auto unless_copy = [](const headers& with) {
        return with.contains("waybill-retry-count") ? waybill::retry() : waybill::ack();
    };
    broker.subscribe(queue("orders"), retries).name("charge").max_attempts(3).dead_letter("x.d1");
    broker.subscribe(queue("*"), unless_copy).name("audit").max_attempts(3).dead_letter("x.d2");
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a");
    CHECK(tb.calls("charge") == 3);
    REQUIRE(tb.published("x.d2") == 2);
    for (const auto& dead : tb.published("x.d2")) {
        CHECK(dead.with.text("waybill-dead-reason") == "foreign_copy");
    }
    CHECK(tb.calls("audit") == 3);
}

}  // namespace memory_app_test
