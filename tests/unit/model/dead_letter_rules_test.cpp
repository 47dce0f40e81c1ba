// What a dead letter says and where it goes (ARCHITECTURE, section 6), on whole apps with the
// memory server.
#include "shop.hpp"
#include "utf8_model.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace dead_letter_rules {

using support::always;
using support::copies_only;
using support::shop;
using waybill::headers;
using waybill::test_app;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

/// The bytes that the failure record takes of a message's headers.
std::size_t record_size(const headers& all) {
    std::size_t size = 0;
    for (const auto& entry : all) {
        if (entry.name.starts_with("waybill-dead-")) {
            size += entry.name.size() + entry.value.text().value_or("").size();
        }
    }
    return size;
}

TEST_CASE("the record keeps its budget, whatever the handler says") {
    const std::string euro = "\xE2\x82\xAC";
    std::string euros;
    for (int at = 0; at < 5000; ++at) euros += euro;
    for (const auto& said :
         {std::string(100'000, 'x'), euros, std::string(9000, '\xFF'), std::string(5000, '\0'),
          std::string{"a\r\nwaybill-retry-count: 0"}, std::string{}}) {
        for (const std::int64_t budget : {0, 1, 64, 300, 4096}) {
            waybill::app app{"shop", "1"};
            app.broker(waybill::memory::broker{server{}})
                .subscribe(queue("orders"),
                           [&](std::span<const std::byte>) { throw std::runtime_error(said); })
                .max_attempts(1)
                .dead_letter("orders.dead")
                .dead_letter_budget(budget);
            test_app tb{std::move(app)};
            tb.publish_raw("orders", "a", {{"tag", "x"}});
            REQUIRE(tb.published("orders.dead") == 1);
            const auto dead = tb.published("orders.dead")[0];
            CAPTURE(budget);
            CAPTURE(said.size());
            CHECK(record_size(dead.with) <= static_cast<std::size_t>(budget));
            CHECK(support::is_well_formed(dead.with.text("waybill-dead-error").value_or("")));
            CHECK(dead.with.text("tag") == "x");
            CHECK(dead.with.text("waybill-retry-count") == "1");
            CHECK(dead.text() == "a");
        }
    }
}

TEST_CASE("from its second death on a message waits longer each time, and keeps its first time") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        test_app tb{shop(at, always(waybill::retry()), 1)};
        headers with;
        std::size_t deaths = 0;
        for (const auto wait : {0s, 1s, 2s, 4s, 8s}) {
            tb.publish_raw("orders", "a", with);
            if (wait > 0s) {
                tb.advance(wait - 1ns);
                CHECK(at.queued("orders.dead") == deaths);
                tb.advance(1ns);
            }
            CHECK(at.queued("orders.dead") == ++deaths);
            REQUIRE(tb.published("orders.dead") == deaths);
            with = tb.published("orders.dead")[deaths - 1].with;
            CHECK(with.text("waybill-dead-count") == std::to_string(deaths));
            CHECK(with.text("waybill-dead-first-at") == "946684800000");
        }
        CHECK(tb.calls("charge") == deaths);
    }
}

TEST_CASE("a dead letter that is moved back by hand has all its attempts again") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        test_app tb{shop(at, always(waybill::retry()), 3)};
        tb.publish_raw("orders", "a");
        const auto dead = tb.published("orders.dead")[0];
        tb.publish_raw("orders", dead.text(), dead.with);
        CHECK(support::attempts(tb) == std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3});
    }
}

TEST_CASE("a ring of dead letters over a pattern is refused before anything is read") {
    waybill::app ring{"shop", "1"};
    auto& broker = ring.broker(waybill::memory::broker{});
    const auto retries = [](std::span<const std::byte>) { return waybill::retry(); };
    broker.subscribe(queue("orders.*"), retries).max_attempts(2).dead_letter("audit.orders");
    broker.subscribe(queue("audit.>"), retries).max_attempts(2).dead_letter("orders.audit");
    const auto problems = ring.check();
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message().find("orders.* -> audit.> -> orders.*") != std::string::npos);
    CHECK_THROWS_AS(test_app{std::move(ring)}, waybill::test_failure);
}

TEST_CASE("a dropped message never goes to the dead letter") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        test_app tb{shop(at, always(waybill::drop()), 1)};
        tb.publish_raw("orders", "a");
        CHECK(tb.published("orders.dead") == 0);
        CHECK(at.queued("orders") + at.unsettled() == 0);
    }
}

}  // namespace dead_letter_rules
