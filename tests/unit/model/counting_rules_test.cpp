// Whose count it is and what counts (ARCHITECTURE, section 3), on whole apps with the memory
// server.
#include "shop.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace counting_rules {

using support::always;
using support::attempts;
using support::copies_only;
using support::shop;
using waybill::headers;
using waybill::test_app;
using waybill::memory::counting;
using waybill::memory::fan_out;
using waybill::memory::options;
using waybill::memory::server;

constexpr options returns_only{.counts = counting::returns, .outlives_crash = true};

/// A service "mirror" that fans out the topic "orders": its copies go back to the topic.
waybill::app mirror(const server& at, const std::string& name, support::answers answer,
                    const std::function<void(waybill::subscription&)>& declare = {}) {
    waybill::app app{name, "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    auto& charge = broker.subscribe(
        fan_out("orders"),
        [answer](std::span<const std::byte>, waybill::attempt n) { return answer(n); });
    charge.name("charge").max_attempts(3).dead_letter(name + ".dead");
    if (declare) declare(charge);
    return app;
}

// ---- the reader
// ----------------------------------------------------------------------------------

TEST_CASE("readers of one queue share its counts, whatever their apps are called") {
    const server at{copies_only};
    std::shared_ptr<waybill::manual_clock> time;
    {
        test_app first{shop(at, always(waybill::retry_after(1s)), 3)};
        time = first.time();
        first.publish_raw("orders", "a");
        CHECK(attempts(first) == std::vector<std::uint32_t>{1});
    }
    waybill::app other{"another", "2"};
    other.broker(waybill::memory::broker{at})
        .subscribe(waybill::memory::queue("orders"),
                   [](std::span<const std::byte>) { return waybill::retry(); })
        .name("charge")
        .max_attempts(3)
        .dead_letter("orders.dead");
    test_app second{std::move(other), waybill::with_clock(time)};
    second.advance(1h);
    CHECK(attempts(second) == std::vector<std::uint32_t>{2, 3});
    CHECK(second.published("orders.dead") == 1);
}

TEST_CASE("on a topic each app has its own attempts, and one more for each copy of another's") {
    const server at{copies_only};
    test_app a{mirror(at, "a", always(waybill::retry()))};
    test_app b{mirror(at, "b", always(waybill::ack())), waybill::with_clock(a.time())};
    a.publish_raw("orders", "x");
    b.rest();
    CHECK(attempts(a) == std::vector<std::uint32_t>{1, 2, 3});
    REQUIRE(a.published("a.dead") == 1);
    CHECK(a.published("a.dead")[0].with.text("waybill-dead-reason") == "attempts");
    // The message, and the two copies that a made: each is counted on, and is the last attempt of
    // b.
    CHECK(attempts(b) == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(b.published("b.dead") == 0);
}

TEST_CASE("a copy of another's that its handler does not finish is a dead letter, never a copy") {
    const server at{copies_only};
    test_app a{mirror(at, "a", always(waybill::retry()))};
    test_app b{mirror(at, "b", always(waybill::retry())), waybill::with_clock(a.time())};
    a.publish_raw("orders", "x");
    for (int round = 0; round < 10; ++round) {
        b.rest();
        a.rest();
    }
    for (const auto* tb : {&a, &b}) {
        // Their own two copies, and no copy of a copy of the other.
        CHECK(tb->published("orders") == 2);
        CHECK(tb->calls("charge") == 5);
        const auto* dead = tb == &a ? "a.dead" : "b.dead";
        REQUIRE(tb->published(dead) == 3);
        std::size_t foreign = 0;
        for (const auto& each : tb->published(dead)) {
            foreign += each.with.text("waybill-dead-reason") == "foreign_copy" ? 1 : 0;
        }
        CHECK(foreign == 2);
    }
}

TEST_CASE("skip_foreign_copies acks the copies of others unseen") {
    const server at{copies_only};
    test_app a{mirror(at, "a", always(waybill::retry()))};
    test_app b{
        mirror(at, "b", always(waybill::ack()), [](auto& charge) { charge.skip_foreign_copies(); }),
        waybill::with_clock(a.time())};
    a.publish_raw("orders", "x");
    b.rest();
    CHECK(attempts(b) == std::vector<std::uint32_t>{1});
    CHECK(at.unsettled() == 0);
}

TEST_CASE("an app that was renamed goes on counting with formerly") {
    for (const bool knows : {true, false}) {
        const server at{copies_only};
        const headers copy{{"waybill-retry-count", "2"}, {"waybill-retry-source", "old/orders"}};
        test_app tb{mirror(at, "new", always(waybill::retry()), [&](auto& charge) {
            charge.max_attempts(5);
            if (knows) charge.formerly("old/orders");
        })};
        tb.publish_raw("orders", "x", copy);
        CHECK(attempts(tb) ==
              (knows ? std::vector<std::uint32_t>{3, 4, 5} : std::vector<std::uint32_t>{3}));
        REQUIRE(tb.published("new.dead") == 1);
        CHECK(tb.published("new.dead")[0].with.text("waybill-dead-reason") ==
              (knows ? "attempts" : "foreign_copy"));
    }
}

// ---- what others wrote
// ---------------------------------------------------------------------------

TEST_CASE(
    "a count of another framework goes on below the cap, and is its history from the cap on") {
    for (const auto& how : {options{}, copies_only}) {
        for (const auto& [brought, seen] :
             {std::pair{"3", std::vector<std::uint32_t>{4, 5}},
              std::pair{"5", std::vector<std::uint32_t>{1, 2, 3, 4, 5}},
              std::pair{"99999999999999999999", std::vector<std::uint32_t>{1, 2, 3, 4, 5}}}) {
            std::vector<std::string> lines;
            auto app = shop(server{how}, always(waybill::retry()), 5);
            app.log_to([&](std::string_view line) { lines.emplace_back(line); });
            test_app tb{std::move(app)};
            tb.publish_raw("orders", "x", {{"waybill-retry-count", brought}});
            CHECK(attempts(tb) == seen);
            const bool ends_it = seen.front() == 1;
            std::size_t said = 0;
            for (const auto& line : lines) said += line.find("others_history") != line.npos ? 1 : 0;
            if (ends_it) {
                CHECK(said >= 1);
            } else {
                CHECK(said == 0);
            }
        }
    }
}

TEST_CASE("the name of the count is the app's choice, and the other name is left alone") {
    const server at{copies_only};
    auto app = shop(at, always(waybill::retry()), 3);
    app.retry_count_header("x-ruststream-retry-count");
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "x", {{"x-ruststream-retry-count", "1"}});
    CHECK(attempts(tb) == std::vector<std::uint32_t>{2, 3});
    REQUIRE(tb.published("orders.dead") == 1);
    const auto dead = tb.published("orders.dead")[0];
    CHECK(dead.with.text("x-ruststream-retry-count") == "3");
    CHECK_FALSE(dead.with.contains("waybill-retry-count"));
}

// ---- what a broker counts
// ------------------------------------------------------------------------

TEST_CASE("whatever a broker counts, the handler runs as often as the cap says") {
    for (const auto counts : {counting::failures, counting::returns, counting::none}) {
        for (const bool delays : {true, false}) {
            const server at{{.counts = counts, .delays = delays}};
            test_app tb{shop(
                at,
                [](std::uint32_t n) {
                    return n % 2 == 0 ? waybill::retry() : waybill::retry_after(1s);
                },
                5)};
            tb.publish_raw("orders", "a");
            tb.advance(1h);
            CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
            REQUIRE(tb.published("orders.dead") == 1);
            CHECK(tb.published("orders.dead")[0].with.text("waybill-retry-count") == "5");
        }
    }
}

/// Starts services whose process dies in the handler until one finds nothing to handle, or `most`
/// have died; says how many died.
int crashes_of(const server& at, std::int64_t cap, int most,
               const std::function<void(waybill::subscription&)>& declare = {}) {
    int died = 0;
    while (died < most) {
        std::vector<waybill::settlement> in_hand;
        waybill::app app{"shop", "1"};
        auto& charge = app.broker(waybill::memory::broker{at})
                           .subscribe(waybill::memory::queue("orders"), [&](waybill::settlement s) {
                               in_hand.push_back(std::move(s));
                           });
        if (cap != 0) charge.max_attempts(cap).dead_letter("orders.dead");
        if (declare) declare(charge);
        const test_app tb{std::move(app)};
        if (in_hand.empty()) break;
        at.crash();
        ++died;
    }
    return died;
}

TEST_CASE("a message that kills the process is handled as often as the cap says where it counts") {
    const server at{{.outlives_crash = true}};
    REQUIRE(at.publish("orders", "a"));
    CHECK(crashes_of(at, 5, 100) == 5);
    CHECK(at.queued("orders.dead") == 1);
    test_app tb{shop(at, always(waybill::ack()), 5)};
    CHECK(tb.calls("charge") == 0);
}

TEST_CASE("where returns are counted, max_redeliveries ends a crash loop") {
    for (const auto& [declared, wanted] :
         {std::pair{std::int64_t{0}, 16}, std::pair{std::int64_t{3}, 4}}) {
        const server at{returns_only};
        REQUIRE(at.publish("orders", "a"));
        CHECK(crashes_of(at, 5, 100, [&](auto& charge) {
                  if (declared != 0) charge.max_redeliveries(declared);
              }) == wanted);
        CHECK(at.queued("orders.dead") == 1);
        CHECK(at.queued("orders") + at.unsettled() == 0);
    }
}

TEST_CASE("where returns are counted, what comes back from stops is charged to nobody") {
    const server at{returns_only};
    REQUIRE(at.publish("orders", "a"));
    for (int stop = 0; stop < 10; ++stop) {
        std::vector<waybill::settlement> open;
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{at})
            .subscribe(waybill::memory::queue("orders"),
                       [&](waybill::settlement s) { open.push_back(std::move(s)); })
            .max_attempts(2)
            .dead_letter("orders.dead");
        app.stop_limit(0s);
        test_app tb{std::move(app)};
        CHECK(at.unsettled() == 1);
        tb.stop();
    }
    test_app tb{shop(at, always(waybill::retry()), 2)};
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2});
    CHECK(at.queued("orders.dead") == 1);
}

TEST_CASE("a crash loop never reaches the broker's own limit, and counts") {
    const server at{{.outlives_crash = true, .delivery_limit = 6}};
    REQUIRE(at.publish("orders", "a"));
    CHECK(crashes_of(at, 30, 100) == 30);
    CHECK(at.dropped_at_limit() == 0);
    CHECK(at.queued("orders.dead") == 1);
}

TEST_CASE("retries near the broker's own limit are copies, and the cap holds over both counts") {
    const server at{{.delivery_limit = 6}};
    test_app tb{shop(at, always(waybill::retry()), 20)};
    tb.publish_raw("orders", "a");
    CHECK(tb.calls("charge") == 20);
    CHECK(at.dropped_at_limit() == 0);
    CHECK(tb.published("orders") == 4);
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].with.text("waybill-retry-count") == "20");
}

TEST_CASE("a crash loop that no cap ends goes on for ever and is not dropped by the broker") {
    for (const auto counts : {counting::failures, counting::returns}) {
        const server at{{.counts = counts, .outlives_crash = true, .delivery_limit = 4}};
        REQUIRE(at.publish("orders", "a"));
        CHECK(crashes_of(at, 0, 50) == 50);
        CHECK(at.dropped_at_limit() == 0);
        test_app tb{shop(at, always(waybill::ack()), 0)};
        CHECK(tb.calls("charge") == 1);
    }
}

}  // namespace counting_rules
