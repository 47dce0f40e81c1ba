// Publish, confirm, then settle (ARCHITECTURE, section 4), on whole apps with the memory server.
#include "shop.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace settling_rules {

using support::always;
using support::attempts;
using support::copies_only;
using support::shop;
using waybill::headers;
using waybill::test_app;
using waybill::memory::options;
using waybill::memory::publish_fault;
using waybill::memory::server;

struct receipt {
    static constexpr std::string_view address = "receipts";
    std::uint64_t id;
};

TEST_CASE("a copy that is not taken is published again, and the handler does not run again") {
    for (const auto fault : {publish_fault::failed, publish_fault::unroutable, publish_fault::lost,
                             publish_fault::taken_and_lost}) {
        const server at{copies_only};
        test_app tb{shop(at, always(waybill::retry()), 2)};
        at.fail_publishes("orders", 3, fault);
        REQUIRE(at.publish("orders", "a"));
        tb.rest();
        CHECK_FALSE(tb.calls("charge").empty());
        CHECK(at.unsettled() >= 1);
        CHECK(tb.health().state == waybill::health_state::degraded);
        tb.advance(10min);
        const bool doubles = fault == publish_fault::taken_and_lost;
        // Each copy that was taken is handled once, and so is the one that was confirmed.
        CHECK(tb.calls("charge") == (doubles ? 5 : 2));
        CHECK(tb.published("orders.dead") == (doubles ? 4 : 1));
        CHECK(tb.health().state == waybill::health_state::running);
        CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
        for (const auto& dead : tb.published("orders.dead")) {
            CHECK(dead.with.text("waybill-copy") ==
                  tb.published("orders.dead")[0].with.text("waybill-copy"));
        }
    }
}

TEST_CASE("a copy that the server will never take is a dead letter without the record") {
    const server at{copies_only};
    test_app tb{shop(at, always(waybill::retry()), 5)};
    at.fail_publishes("orders", 1, publish_fault::refused);
    REQUIRE(at.publish("orders", "a", {{"tag", "x"}}));
    tb.rest();
    CHECK(tb.calls("charge") == 1);
    REQUIRE(tb.published("orders.dead") == 1);
    const auto dead = tb.published("orders.dead")[0];
    CHECK(dead.text() == "a");
    CHECK(dead.with.text("tag") == "x");
    CHECK(dead.with.text("waybill-retry-count") == "1");
    CHECK_FALSE(dead.with.contains("waybill-dead-reason"));
    CHECK(tb.health().state == waybill::health_state::running);
    CHECK(at.queued("orders") + at.unsettled() == 0);
}

TEST_CASE("a dead letter that the server will never take is parked, and others go by") {
    const server at;
    test_app tb{
        shop(at, [](std::uint32_t n) { return n == 1 ? waybill::retry() : waybill::ack(); }, 1)};
    at.fail_publishes("orders.dead", 4, publish_fault::refused);
    tb.publish_raw("orders", "a");
    CHECK(tb.health().state == waybill::health_state::degraded);
    CHECK(tb.health().reason.find("orders.dead") != std::string::npos);
    tb.publish_raw("orders", "b");
    CHECK(tb.calls("charge") == 2);
    tb.advance(59s);
    CHECK(at.unsettled() == 2);
    tb.advance(1s);
    CHECK(at.unsettled() == 0);
    CHECK(at.queued("orders.dead") == 2);
    CHECK(tb.calls("charge") == 2);
    CHECK(tb.health().state == waybill::health_state::running);
}

TEST_CASE("a reply that is refused is a failure of the handler, one that is lost charges nothing") {
    for (const auto fault : {publish_fault::failed, publish_fault::unroutable,
                             publish_fault::refused, publish_fault::lost}) {
        const server at;
        waybill::app app{"shop", "1"};
        std::vector<std::uint32_t> seen;
        app.broker(waybill::memory::broker{at})
            .subscribe(waybill::memory::queue("orders"),
                       [&](std::span<const std::byte>, waybill::attempt n) {
                           seen.push_back(n.number);
                           return waybill::reply<receipt>{receipt{7}};
                       })
            .max_attempts(5)
            .dead_letter("orders.dead");
        test_app tb{std::move(app)};
        at.fail_publishes("receipts", 2, fault);
        tb.publish_raw("orders", "a");
        tb.advance(1min);
        const bool charged = fault != publish_fault::lost;
        CHECK(seen == (charged ? std::vector<std::uint32_t>{1, 2, 3}
                               : std::vector<std::uint32_t>{1, 1, 1}));
        CHECK(at.queued("receipts") == 1);
        CHECK(at.queued("orders") + at.unsettled() + at.queued("orders.dead") == 0);
    }
}

TEST_CASE("a stale delivery publishes nothing, is settled by nobody and comes again") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        bool first = true;
        test_app tb{shop(
            at,
            [&](std::uint32_t) {
                if (std::exchange(first, false)) {
                    at.drop_connections();
                    return waybill::retry();
                }
                return waybill::ack();
            },
            5)};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 2);
        CHECK(tb.published("orders") == 0);
        CHECK(at.queued("orders") + at.unsettled() == 0);
    }
}

TEST_CASE("copies and dead letters name the root and its count, the same for every repetition") {
    const server at{copies_only};
    test_app tb{shop(at, always(waybill::retry()), 3)};
    tb.publish_raw("orders", "a");
    const auto copies = tb.published("orders");
    REQUIRE(copies == 2);
    const std::string root{copies[0].with.text("waybill-id").value_or("")};
    CHECK_FALSE(root.empty());
    CHECK(copies[0].with.text("waybill-copy") == root + "/1");
    CHECK(copies[1].with.text("waybill-id") == root);
    CHECK(copies[1].with.text("waybill-copy") == root + "/2");
    CHECK(tb.published("orders.dead")[0].with.text("waybill-copy") == root + "/3");
}

TEST_CASE("what a handler publishes inherits nothing of the runtime's own") {
    const server at{copies_only};
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{at})
        .subscribe(waybill::memory::queue("orders"),
                   [](std::span<const std::byte>, waybill::attempt n) -> waybill::reply<receipt> {
                       if (n.number < 3) return waybill::retry();
                       return receipt{7};
                   })
        .max_attempts(5)
        .dead_letter("orders.dead");
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a");
    REQUIRE(tb.published("receipts") == 1);
    CHECK(tb.published("receipts")[0].with == headers{});
}

TEST_CASE("a wait that would end after the time to live ends at once in the dead letter") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        test_app tb{shop(at, always(waybill::retry_after(10s)), 9)};
        const auto ends = tb.time()->wall() + 25s;
        const auto text =
            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(ends).count());
        tb.publish_raw("orders", "a", {{"waybill-expires-at", text}});
        tb.advance(1h);
        CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3});
        REQUIRE(tb.published("orders.dead") == 1);
        const auto dead = tb.published("orders.dead")[0];
        CHECK(dead.at == 20s);
        CHECK(dead.with.text("waybill-dead-reason") == "expired");
        CHECK_FALSE(dead.with.contains("waybill-expires-at"));
    }
}

TEST_CASE("a message whose time to live ended while it was queued is not handled") {
    const server at;
    test_app tb{shop(at, always(waybill::ack()), 5)};
    tb.publish_raw("orders", "a",
                   {{"waybill-expires-at", "946684799999"},
                    {"waybill-retry-source", "orders"},
                    {"waybill-retry-count", "2"}});
    CHECK(tb.calls("charge") == 0);
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].with.text("waybill-dead-reason") == "expired");
    CHECK(tb.published("orders.dead")[0].with.text("waybill-retry-count") == "2");
}

}  // namespace settling_rules
