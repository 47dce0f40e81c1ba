// Faults that users of other frameworks reported: what is counted, and when it is over. The ids
// are those of tests/README.md.
#include "shop.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;

namespace counting_reports {

using support::always;
using support::attempts;
using support::copies_only;
using support::shop;
using waybill::headers;
using waybill::outcome;
using waybill::test_app;
using waybill::memory::fan_out;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

TEST_CASE("B13: the cap is a number of deliveries, not of retries") {
    for (std::int64_t cap = 1; cap <= 6; ++cap) {
        for (const auto answer : {waybill::retry(), waybill::retry_after(1s)}) {
            for (const auto& how : {options{}, copies_only}) {
                test_app tb{shop(server{how}, always(answer), cap)};
                tb.publish_raw("orders", "a");
                tb.advance(1h);
                CAPTURE(cap);
                CAPTURE(answer);
                CHECK(tb.calls("charge") == cap);
                REQUIRE(tb.published("orders.dead") == 1);
                const auto dead = tb.published("orders.dead")[0];
                CHECK(dead.with.text("waybill-retry-count") == std::to_string(cap));
            }
        }
    }
}

TEST_CASE("B14: a cap of 1 means one call, no wait and the dead letter at once") {
    for (const auto answer : {waybill::retry(), waybill::retry_after(1s)}) {
        test_app tb{shop(server{}, always(answer), 1)};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 1);
        REQUIRE(tb.published("orders.dead") == 1);
        const auto dead = tb.published("orders.dead")[0];
        CHECK(dead.with.text("waybill-retry-count") == "1");
        tb.advance(1h);
        CHECK(tb.calls("charge") == 1);
    }
}

TEST_CASE("B15: without a cap there is no hidden limit") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        int calls = 0;
        test_app tb{shop(
            at, [&](std::uint32_t) { return ++calls <= 40 ? waybill::retry() : waybill::ack(); },
            0)};
        tb.publish_raw("orders", "a");
        tb.advance(1h);
        CHECK(calls == 41);
        CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
    }
}

TEST_CASE("B16: many messages on several lanes each have their own count") {
    for (const std::int64_t cap : {2, 3}) {
        for (const auto& how : {options{}, copies_only}) {
            const server at{how};
            for (int each = 0; each < 10; ++each) {
                REQUIRE(at.publish("orders", std::to_string(each)));
            }
            test_app tb{shop(at, always(waybill::retry()), cap,
                             [](auto& charge) { charge.concurrency(4); })};
            CHECK(tb.calls("charge") == 10 * cap);
            CHECK(tb.published("orders.dead") == 10);
            CHECK(at.queued("orders") == 0);
        }
    }
}

TEST_CASE("B17: a count that a message brings along is read, and replaced") {
    for (const auto& how : {options{}, copies_only}) {
        for (const auto& [brought, calls] : {std::pair{"4", 1}, std::pair{"3", 2}}) {
            test_app tb{shop(server{how}, always(waybill::retry()), 5)};
            tb.publish_raw("orders", "a", {{"waybill-retry-count", brought}});
            CHECK(tb.calls("charge") == calls);
            REQUIRE(tb.published("orders.dead") == 1);
            const auto dead = tb.published("orders.dead")[0];
            CHECK(dead.with.text("waybill-retry-count") == "5");
        }
    }
}

TEST_CASE("B18: the handler sees the number of its delivery, whoever counts") {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(server{how}, always(waybill::retry()), 3)};
        tb.publish_raw("orders", "a");
        CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3});
    }
}

TEST_CASE("B19: delayed redeliveries count, and only for the reader that failed") {
    const server at;
    auto app = shop(at, always(waybill::retry_after(1s)), 3);
    app.broker(waybill::memory::broker{at})
        .subscribe(fan_out("orders"), [](std::span<const std::byte>) {})
        .name("healthy");
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a");
    for (int second = 0; second < 5; ++second) tb.advance(1s);
    CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(tb.published("orders.dead") == 1);
    CHECK(tb.calls("healthy") == 1);
}

TEST_CASE("B23: every delivery counts, a wait that was asked for too") {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(
            server{how},
            [](std::uint32_t n) {
                return n % 2 == 1 ? waybill::retry() : waybill::retry_after(1s);
            },
            4)};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 2);
        tb.advance(1s);
        CHECK(tb.calls("charge") == 4);
        CHECK(tb.published("orders.dead") == 1);
        tb.advance(1h);
        CHECK(tb.calls("charge") == 4);
    }
}

TEST_CASE("B34: attempts are not lost with the process that made them") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        std::shared_ptr<waybill::manual_clock> time;
        {
            test_app tb{shop(at, always(waybill::retry_after(1s)), 4)};
            time = tb.time();
            tb.publish_raw("orders", "a");
            tb.advance(1s);
            CHECK(attempts(tb) == std::vector<std::uint32_t>{1, 2});
        }
        test_app tb{shop(at, always(waybill::retry_after(1s)), 4), waybill::with_clock(time)};
        tb.advance(1h);
        CHECK(attempts(tb) == std::vector<std::uint32_t>{3, 4});
        CHECK(tb.published("orders.dead") == 1);
    }
}

TEST_CASE("B01: while the dead letter cannot be published the original is kept, then moved once") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        std::vector<std::string> lines;
        auto app = shop(at, always(waybill::retry()), 2);
        app.log_to([&](std::string_view line) { lines.emplace_back(line); });
        test_app tb{std::move(app)};
        at.fail_publishes("orders.dead", 3);
        tb.publish_raw("orders", "a");
        CHECK(tb.published("orders.dead") == 0);
        CHECK(at.unsettled() == 1);
        CHECK(tb.health().state == waybill::health_state::degraded);
        tb.advance(1h);
        CHECK(tb.calls("charge") == 2);
        CHECK(tb.published("orders.dead") == 1);
        CHECK(at.queued("orders.dead") == 1);
        CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
        CHECK(tb.health().state == waybill::health_state::running);
        int failures = 0;
        for (const auto& line : lines) failures += line.find("publish_failed") != line.npos ? 1 : 0;
        CHECK(failures == 3);
    }
}

TEST_CASE("B92: a dead letter that comes back to its source is refused at start") {
    auto self = shop(server{}, always(waybill::retry()), 2,
                     [](auto& charge) { charge.dead_letter("orders"); });
    REQUIRE(self.check().size() == 1);
    CHECK(self.check()[0].message().find("its own source \"orders\" reads its dead letter") !=
          std::string::npos);

    waybill::app ring{"shop", "1"};
    auto& broker = ring.broker(waybill::memory::broker{});
    const auto retries = [](std::span<const std::byte>) { return waybill::retry(); };
    broker.subscribe(queue("x"), retries).max_attempts(2).dead_letter("y");
    broker.subscribe(queue("y"), retries).max_attempts(2).dead_letter("x");
    REQUIRE(ring.check().size() == 1);
    CHECK(ring.check()[0].message().find("x -> y -> x") != std::string::npos);
    CHECK_THROWS_AS(test_app{std::move(ring)}, waybill::test_failure);
}

}  // namespace counting_reports
