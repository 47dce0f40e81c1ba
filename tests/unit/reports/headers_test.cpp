// Faults that users of other frameworks reported: headers on copies and dead letters.
#include "shop.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;

namespace header_reports {

using support::always;
using support::copies_only;
using support::shop;
using support::without_ours;
using waybill::headers;
using waybill::test_app;
using waybill::memory::options;
using waybill::memory::server;

/// Sends a message through copies, to its dead letter, and looks at it on every delivery.
void check_unchanged(const headers& sent) {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(server{how}, always(waybill::retry_after(1s)), 4)};
        tb.publish_raw("orders", "a", sent);
        tb.advance(1h);
        REQUIRE(tb.calls("charge") == 4);
        for (const auto& call : tb.calls("charge")) CHECK(without_ours(call.with) == sent);
        REQUIRE(tb.published("orders.dead") == 1);
        CHECK(without_ours(tb.published("orders.dead")[0].with) == sent);
    }
}

TEST_CASE("B43: every header arrives with its bytes and its type, on copies and dead letters") {
    const std::string binary{"\x00\xFF\x10", 3};
    check_unchanged({{"ascii", "text"},
                     {"utf8", "zażółć-退款"},
                     {"empty", ""},
                     {"bytes", std::as_bytes(std::span{binary})},
                     {"integer", 7},
                     {"yes", true}});
}

TEST_CASE("B49: headers that share a name stay apart and in order, with exactly one count") {
    const headers sent{{"tag", "a"}, {"tag", "b"}, {"trace", 1}};
    check_unchanged(sent);
    test_app tb{shop(server{copies_only}, always(waybill::retry()), 5)};
    tb.publish_raw("orders", "a", sent);
    for (const auto& copy : tb.published("orders")) {
        int counts = 0;
        for (const auto& entry : copy.with) {
            counts += entry.known == waybill::known_header::retry_count ? 1 : 0;
        }
        CHECK(counts == 1);
    }
}

TEST_CASE("B57: a text header is carried as it is, without quotes of anybody's") {
    check_unchanged({{"quoted", "\"x\""}, {"number", "123"}, {"object", "{\"a\":1}"}});
}

TEST_CASE("B119: a message without any header is retried and dies like every other") {
    for (const auto& how : {options{}, copies_only}) {
        test_app tb{shop(server{how}, always(waybill::retry()), 2)};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 2);
        REQUIRE(tb.published("orders.dead") == 1);
        const auto dead = tb.published("orders.dead")[0];
        CHECK(dead.with.text("waybill-retry-count") == "2");
        CHECK(without_ours(dead.with).empty());
    }
}

TEST_CASE("B70: sixty rounds of retries add no header") {
    test_app tb{shop(server{copies_only}, always(waybill::retry_after(10ms)), 0)};
    tb.publish_raw("orders", "a", {{"tag", "x"}});
    tb.advance(590ms);
    REQUIRE(tb.published("orders") == 60);
    const auto copies = tb.published("orders");
    CHECK(copies[59].with.count() == copies[0].with.count());
    CHECK(copies[59].with.packed().size() <= copies[0].with.packed().size() + 2);
}

}  // namespace header_reports
