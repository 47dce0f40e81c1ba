#include "wiring/facts.hpp"

#include <doctest/doctest.h>

using waybill::declaration;
using waybill::detail::capabilities;
using waybill::detail::count_support;
using waybill::detail::kill_loss;
using waybill::wiring::facts_of;
using waybill::wiring::rules_of;

TEST_CASE("a crash loop is bounded where a crash is counted and that count has an end") {
    declaration capped;
    capped.max_attempts = 5;
    declaration with_redeliveries;
    with_redeliveries.max_redeliveries = 5;
    const auto crash_loop = [](const declaration& declared, count_support counts, bool counted) {
        const capabilities can{.counts = counts, .crash_is_counted = counted};
        return facts_of(declared, can).crash_loop;
    };
    CHECK(crash_loop(capped, count_support::failures, true) == "bounded");
    CHECK(crash_loop(capped, count_support::returns, true) == "bounded");
    CHECK(crash_loop(with_redeliveries, count_support::returns, true) == "bounded");
    // Where failures are counted, nothing looks at max_redeliveries.
    CHECK(crash_loop(with_redeliveries, count_support::failures, true) == "unbounded");
    CHECK(crash_loop({}, count_support::failures, true) == "unbounded");
    CHECK(crash_loop({}, count_support::returns, true) == "unbounded");
    CHECK(crash_loop(capped, count_support::none, false) == "unbounded");
    CHECK(facts_of({}, {.loses = kill_loss::everything}).crash_loop == "bounded");
}

TEST_CASE("max_redeliveries is a rule only where returns are counted, by default the cap + 10") {
    declaration declared;
    declared.max_attempts = 5;
    const auto most = [&](count_support counts) {
        return rules_of(declared, {.counts = counts}).max_redeliveries;
    };
    CHECK(most(count_support::returns) == 15);
    CHECK(most(count_support::failures) == 0);
    declared.max_redeliveries = 7;
    CHECK(most(count_support::returns) == 7);
    CHECK(most(count_support::none) == 0);
    declared = {};
    CHECK(most(count_support::returns) == 0);
}
