// The parts of docs/retries.md: `// [name]` begins one and `// [/name]` ends it. The pictures come
// from tests/docs/pictures.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace std::chrono_literals;
using waybill::memory::counting;
using waybill::memory::fan_out;
using waybill::memory::queue;

namespace {

using times = std::vector<std::chrono::nanoseconds>;

waybill::outcome process_refund(std::span<const std::byte>) { return waybill::retry(); }

/// An app with one retrying reader of "refunds", as the test declares it.
template <class Declare>
waybill::app declared(Declare declare, waybill::memory::options how = {}) {
    waybill::app app{"shop", "1"};
    declare(app.broker(waybill::memory::broker{how}));
    return app;
}

times times_of(const waybill::test_app& tb) {
    times all;
    for (const auto& call : tb.calls(process_refund)) all.push_back(call.at);
    return all;
}

constexpr waybill::memory::options copies_only{.counts = counting::none, .delays = false};

}  // namespace

TEST_CASE("a cap, a dead letter and a back-off are declared") {
    waybill::test_app tb{declared([](auto& broker) {
        // [declared]
        broker.subscribe(queue("refunds"), process_refund)
            .max_attempts(5)
            .dead_letter("refunds.dead")
            .retry_backoff(waybill::backoff::exponential(1s, 5min));
        // [/declared]
    })};
    tb.publish_raw("refunds", "refund 7");
    tb.advance(1h);
    CHECK(times_of(tb) == times{0s, 1s, 3s, 7s, 15s});
    CHECK(tb.published("refunds.dead") == 1);
}

TEST_CASE("back-offs") {
    // [back-offs]
    const auto fixed = waybill::backoff::fixed(10s);                // 10 s, each time
    const auto doubling = waybill::backoff::exponential(1s, 5min);  // 1 s, 2 s, 4 s ... 5 min
    const auto listed = waybill::backoff::list({1s, 10s, 1min});    // 1 s, 10 s, 1 min, 1 min ...
    // [/back-offs]
    CHECK(fixed.after(4) == 10s);
    CHECK(doubling.after(3) == 4s);
    CHECK(doubling.after(20) == 5min);
    CHECK(listed.after(2) == 10s);
    CHECK(listed.after(9) == 1min);
}

TEST_CASE("a wait that is asked for is never changed by the back-off") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(queue("refunds"), [](waybill::attempt) { return waybill::retry_after(1h); })
        .max_attempts(2)
        .retry_backoff(waybill::backoff::fixed(10s));
    waybill::test_app tb{std::move(app)};
    tb.publish_raw("refunds", "refund 7");
    tb.advance(1h - 1ns);
    CHECK(tb.calls("refunds") == 1);
    tb.advance(1ns);
    CHECK(tb.calls("refunds") == 2);
}

TEST_CASE("a retry without a cap pauses from the second on, and each time where nobody counts") {
    const auto endless = [](auto& broker) { broker.subscribe(queue("refunds"), process_refund); };
    const auto times_after_100ms = [&](waybill::memory::options how) {
        waybill::test_app tb{declared(endless, how)};
        tb.publish_raw("refunds", "refund 7");
        tb.advance(100ms);
        return times_of(tb);
    };
    CHECK(times_after_100ms({}) == times{0s, 0s, 10ms, 30ms, 70ms});
    CHECK(times_after_100ms(copies_only) == times{0s, 100ms});
}

TEST_CASE("copies can go elsewhere, and be changed") {
    waybill::test_app tb{declared(
        [](auto& broker) {
            // [retry_to]
            broker.subscribe(queue("refunds"), process_refund)
                .max_attempts(5)
                .dead_letter("refunds.dead")
                .retry_to("refunds.slow")  // and a subscription of its own reads that
                .on_retry_copy([](waybill::outgoing& copy, const waybill::delivery& from) {
                    copy.headers().set("x-retried-from", from.address());
                });
            // [/retry_to]
        },
        copies_only)};
    tb.publish_raw("refunds", "refund 7");
    REQUIRE(tb.published("refunds.slow") == 1);
    CHECK(tb.published("refunds.slow")[0].with.text("x-retried-from") == "refunds");
    CHECK(tb.published("refunds.slow")[0].with.text("waybill-retry-source") == "*");
    CHECK(tb.published("refunds.slow")[0].with.text("waybill-retry-count") == "1");
}

TEST_CASE("copies can go back to the address of the delivery") {
    waybill::test_app tb{declared([](auto& broker) {
        broker.subscribe(queue("refunds.*"), process_refund)
            .max_attempts(3)
            .dead_letter("dead.refunds")
            .retry_to(waybill::delivery_address);
    })};
    tb.publish_raw("refunds.eu", "refund 7");
    REQUIRE(tb.published("refunds.eu") == 2);
    CHECK(tb.published("refunds.eu")[1].with.text("waybill-retry-source") == "refunds.*");
    CHECK(tb.published("refunds.eu")[1].with.text("waybill-retry-count") == "2");
    CHECK(tb.published("dead.refunds") == 1);
}

TEST_CASE("a reader that was renamed keeps its counts") {
    waybill::test_app tb{declared([](auto& broker) {
        // [formerly]
        broker.subscribe(queue("refunds"), process_refund)
            .max_attempts(5)
            .dead_letter("refunds.dead")
            .formerly("shop.refunds");  // the queue's name before it was moved
        // [/formerly]
    })};
    tb.publish_raw("refunds", "refund 7",
                   {{"waybill-retry-count", "3"}, {"waybill-retry-source", "shop.refunds"}});
    CHECK(tb.calls(process_refund)[0].attempt == 4);
}

TEST_CASE("copies of a neighbour on a topic can be skipped") {
    waybill::test_app tb{declared(
        [](auto& broker) {
            // [skip]
            broker.subscribe(fan_out("orders"), process_refund)
                .max_attempts(5)
                .dead_letter("refunds.dead")
                .skip_foreign_copies();
            // [/skip]
        },
        copies_only)};
    tb.publish_raw("orders", "order 7",
                   {{"waybill-retry-count", "1"}, {"waybill-retry-source", "billing/orders"}});
    CHECK(tb.calls(process_refund) == 0);
}

TEST_CASE("the count that a message brings along") {
    const auto attempt_of = [](const waybill::headers& with) {
        waybill::test_app tb{declared([](auto& broker) {
            broker.subscribe(queue("refunds"), process_refund)
                .max_attempts(5)
                .dead_letter("refunds.dead");
        })};
        tb.publish_raw("refunds", "refund 7", with);
        return tb.calls(process_refund)[0].attempt;
    };
    CHECK(attempt_of({}) == 1);
    CHECK(attempt_of({{"waybill-retry-count", "3"}, {"waybill-retry-source", "refunds"}}) == 4);
    CHECK(attempt_of({{"waybill-retry-count", "3"}, {"waybill-retry-source", "*"}}) == 4);
    CHECK(attempt_of({{"waybill-retry-count", "1"}, {"waybill-retry-source", "others"}}) == 2);
    CHECK(attempt_of({{"waybill-retry-count", "3"}}) == 4);
    CHECK(attempt_of({{"waybill-retry-count", "5"}}) == 1);
    CHECK(attempt_of({{"waybill-retry-count", "3"}, {"waybill-dead-reason", "attempts"}}) == 1);
    CHECK(attempt_of({{"waybill-retry-count", "three"}}) == 1);
}

TEST_CASE("an id that the publisher gave is kept, so that copies can be told from their likes") {
    waybill::test_app tb{declared(
        [](auto& broker) {
            broker.subscribe(queue("refunds"), process_refund)
                .max_attempts(3)
                .dead_letter("refunds.dead");
        },
        copies_only)};
    tb.publish_raw("refunds", "refund 7", {{"waybill-id", "refund-7"}});
    REQUIRE(tb.published("refunds") == 2);
    CHECK(tb.published("refunds")[1].with.text("waybill-copy") == "refund-7/2");
    CHECK(tb.published("refunds.dead")[0].with.text("waybill-copy") == "refund-7/3");
}
