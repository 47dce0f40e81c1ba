// What is declared reaches the path of a message: one test for each thing that an app or a
// subscription can be told and that no other file shows.
#include "shop.hpp"
#include "wiring/app_core.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace declared {

using support::always;
using support::attempts;
using support::copies_only;
using support::shop;
using support::times;
using waybill::headers;
using waybill::test_app;
using waybill::memory::queue;
using waybill::memory::server;

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// ---- back-off ----------------------------------------------------------------------------------

TEST_CASE("a retry waits as its back-off says, and retry_after as it says itself") {
    const std::vector<std::pair<waybill::backoff, std::vector<std::chrono::nanoseconds>>> all = {
        {waybill::backoff::fixed(10s), {0s, 10s, 20s, 30s}},
        {waybill::backoff::exponential(1s, 3s), {0s, 1s, 3s, 6s}},
        {waybill::backoff::list({1s, 10s}), {0s, 1s, 11s, 21s}},
    };
    for (const auto& how : {waybill::memory::options{}, copies_only}) {
        for (const auto& [delays, wanted] : all) {
            test_app tb{shop(server{how}, always(waybill::retry()), 4,
                             [&](auto& charge) { charge.retry_backoff(delays); })};
            tb.publish_raw("orders", "a");
            tb.advance(1h);
            CHECK(times(tb) == wanted);
        }
        test_app tb{shop(server{how}, always(waybill::retry_after(2s)), 3, [](auto& charge) {
            charge.retry_backoff(waybill::backoff::fixed(1min));
        })};
        tb.publish_raw("orders", "a");
        tb.advance(1h);
        CHECK(times(tb) == std::vector<std::chrono::nanoseconds>{0s, 2s, 4s});
    }
}

// ---- copies ------------------------------------------------------------------------------------

TEST_CASE("on_retry_copy changes the payload and the headers that the next delivery has") {
    test_app tb{shop(server{copies_only}, always(waybill::retry()), 3, [](auto& charge) {
        charge.on_retry_copy([](waybill::outgoing& copy, const waybill::delivery& from) {
            const auto text = "after " + std::to_string(from.attempt());
            copy.set_payload(std::as_bytes(std::span{text}));
            copy.headers().set("x-retried-from", from.address());
        });
    })};
    tb.publish_raw("orders", "a", {{"tag", "x"}});
    REQUIRE(tb.calls("charge") == 3);
    CHECK(support::payloads(tb) == "aafter 1after 2");
    CHECK(support::without_ours(tb.calls("charge")[2].with) ==
          headers{{"tag", "x"}, {"x-retried-from", "orders"}});
    CHECK(tb.published("orders.dead") == 1);
}

TEST_CASE("another name for the count is read, written and kept off nothing else") {
    auto app = shop(server{copies_only}, always(waybill::retry()), 3);
    app.retry_count_header("x-ruststream-retry-count");
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a", {{"X-RustStream-Retry-Count", "1"}});
    CHECK(attempts(tb) == std::vector<std::uint32_t>{2, 3});
    REQUIRE(tb.published("orders") == 1);
    CHECK(tb.published("orders")[0].with.text("x-ruststream-retry-count") == "2");
    CHECK_FALSE(tb.published("orders")[0].with.contains("waybill-retry-count"));
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].with.text("x-ruststream-retry-count") == "3");
}

const headers copy_of_old{{"waybill-retry-count", "2"}, {"waybill-retry-source", "old"}};

TEST_CASE("a count of a reader's earlier identity is its own, where it is declared") {
    test_app now{
        shop(server{}, always(waybill::retry()), 4, [](auto& charge) { charge.formerly("old"); })};
    now.publish_raw("orders", "a", copy_of_old);
    CHECK(attempts(now) == std::vector<std::uint32_t>{3, 4});
    test_app other{shop(server{}, always(waybill::retry()), 4)};
    other.publish_raw("orders", "a", copy_of_old);
    REQUIRE(other.published("orders.dead") == 1);
    CHECK(other.published("orders.dead")[0].with.text("waybill-dead-reason") == "foreign_copy");
}

TEST_CASE("foreign copies that are to be skipped are acked, and no handler sees them") {
    const server at;
    test_app tb{
        shop(at, always(waybill::retry()), 4, [](auto& charge) { charge.skip_foreign_copies(); })};
    tb.publish_raw("orders", "a", copy_of_old);
    CHECK(tb.calls("charge").empty());
    CHECK(has(tb.history(), "charge: ack"));
    CHECK(tb.published("orders.dead").empty());
    CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
}

// ---- ends --------------------------------------------------------------------------------------

TEST_CASE("a drop is rejected where the broker's own policy is asked for, else accepted") {
    for (const bool asked : {false, true}) {
        test_app tb{shop(server{}, always(waybill::drop()), 2, [&](auto& charge) {
            if (asked) charge.drop_to_broker();
        })};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 1);
        CHECK(has(tb.history(), "delivery 1 rejected") == asked);
        CHECK(tb.published("orders.dead").empty());
    }
}

TEST_CASE("a spent message is dropped without a warning where that was declared") {
    for (const bool asked : {false, true}) {
        const server at;
        std::vector<std::string> lines;
        auto app = shop(at, always(waybill::retry()), 0, [&](auto& charge) {
            charge.max_attempts(2);
            if (asked) charge.drop_when_spent();
        });
        app.log_to([&](std::string_view line) { lines.emplace_back(line); });
        test_app tb{std::move(app)};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 2);
        CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
        CHECK(std::ranges::any_of(
                  lines, [](const auto& line) { return has(line, "no_dead_letter"); }) == !asked);
    }
}

/// Where a message ends that cannot be read.
struct end {
    std::size_t dead;
    std::size_t waiting;
    friend bool operator==(const end&, const end&) = default;
};

end end_under(waybill::failure_policy policy) {
    const server at;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{at})
        .subscribe(queue("orders"), [](const std::string&) {})
        .codec(waybill::codecs::text())
        .max_attempts(3)
        .dead_letter("orders.dead")
        .on_undecodable(policy);
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "\xff");
    CHECK(at.queued("orders") + at.unsettled() == 0);
    return {tb.published("orders.dead").size(), at.waiting()};
}

TEST_CASE("an undecodable payload has the outcome that is declared for it") {
    CHECK(end_under(waybill::to_dead_letter) == end{.dead = 1, .waiting = 0});
    CHECK(end_under(waybill::retry()) == end{.dead = 1, .waiting = 0});
    CHECK(end_under(waybill::retry_after(1s)) == end{.dead = 0, .waiting = 1});
    CHECK(end_under(waybill::drop()) == end{.dead = 0, .waiting = 0});
    CHECK(end_under(waybill::ack()) == end{.dead = 0, .waiting = 0});
}

TEST_CASE("the failure record keeps to the budget that is declared") {
    for (const std::int64_t budget : {0, 60, 4096}) {
        test_app tb{shop(server{}, always(waybill::retry()), 1,
                         [&](auto& charge) { charge.dead_letter_budget(budget); })};
        tb.publish_raw("orders", "a");
        REQUIRE(tb.published("orders.dead") == 1);
        std::int64_t bytes = 0;
        for (const auto& each : tb.published("orders.dead")[0].with) {
            if (!each.name.starts_with("waybill-dead-")) continue;
            bytes += static_cast<std::int64_t>(each.name.size() + each.value.to_string().size());
        }
        CHECK(bytes <= budget);
        CHECK((bytes > 0) == (budget > 0));
    }
}

// ---- the app -----------------------------------------------------------------------------------

TEST_CASE("a stop has a limit when none is declared") {
    const waybill::app app{"shop", "1"};
    CHECK(app.core()->settings->stop_limit == 25s);
}

TEST_CASE("a publisher uses the app's codec, or the one that it is given") {
    const server at;
    waybill::app app{"shop", "1"};
    const auto publisher = app.broker(waybill::memory::broker{at}).publisher();
    std::vector<std::string> seen;
    app.broker(waybill::memory::broker{at})
        .subscribe(queue("names"), [&](std::span<const std::byte> raw) {
            seen.emplace_back(reinterpret_cast<const char*>(raw.data()), raw.size());
        });
    test_app tb{std::move(app)};
    const std::string name = "ada";
    REQUIRE(publisher.publish("names", name));
    REQUIRE(publisher.with_codec(waybill::codecs::text()).publish("names", name));
    tb.rest();
    CHECK(seen == std::vector<std::string>{"\"ada\"", "ada"});
}

TEST_CASE("bytes are published as they are, whoever publishes them and whatever holds them") {
    const server at;
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{at});
    const auto publisher = broker.publisher();
    const std::array three{std::byte{'{'}, std::byte{0}, std::byte{0xff}};
    std::size_t seen = 0;
    broker.subscribe(queue("bytes"), [&](std::span<const std::byte> raw) {
        CHECK(std::ranges::equal(raw, three));
        ++seen;
    });
    broker.subscribe(queue("copies"), [](std::span<const std::byte> raw, waybill::context& with) {
        with.publish("bytes", std::vector<std::byte>(raw.begin(), raw.end()));
    });
    test_app tb{std::move(app)};
    auto changing = three;
    const std::vector<std::byte> grown(three.begin(), three.end());
    REQUIRE(publisher.publish("bytes", three));
    REQUIRE(publisher.publish("bytes", grown));
    REQUIRE(publisher.publish("bytes", std::span<const std::byte>{three}));
    REQUIRE(publisher.publish("bytes", std::span<std::byte>{changing}));
    tb.publish("bytes", grown);
    tb.publish("bytes", three);
    tb.publish("copies", std::span<const std::byte>{three});
    CHECK(seen == 7);
}

}  // namespace declared
