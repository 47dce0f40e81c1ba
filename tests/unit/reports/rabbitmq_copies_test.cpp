// Faults that users of other frameworks reported: what a copy carries on RabbitMQ, and what is read
// of a message that others wrote.
#include "rabbitmq_shop.hpp"
#include "shop.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace std::string_view_literals;

namespace rabbitmq_copies_reports {

using support::rabbitmq_kinds;
using support::rabbitmq_shop;
using support::without_ours;
using waybill::header_value;
using waybill::headers;
using waybill::rabbitmq::as;
using waybill::rabbitmq::wire_type;
using waybill::rabbitmq::wire_type_of;
namespace property = waybill::rabbitmq::property;

rabbitmq_shop::answers always(waybill::outcome answer) {
    return [answer](waybill::context&) { return answer; };
}

/// Of what stands on the wire behind the length.
header_value array(std::string_view values) {
    return as(wire_type::array, header_value{std::as_bytes(std::span{values})});
}

/// A retry, a wait, a retry, and then the dead letter.
waybill::outcome by_turns(waybill::context& with) {
    return with.attempt() == 2 ? waybill::retry_after(1s) : waybill::retry();
}

/// What the server itself writes on the way of a message.
bool is_the_servers(std::string_view name) {
    for (const auto* each :
         {"x-death", "x-first-death-", "x-last-death-", "x-delivery-count", "x-acquired-count"}) {
        if (name.starts_with(each)) return true;
    }
    return false;
}

headers without_the_servers(const headers& all) {
    headers rest;
    for (const auto& each : without_ours(all)) {
        if (!is_the_servers(each.name)) rest.append(each.name, each.value);
    }
    return rest;
}

/// Equal, whatever the order, as from 4.0 on a server keeps headers by their names; but for the
/// mark that it is persistent, which the server in memory gives to what has none.
void check_same(headers seen, const headers& sent) {
    if (!sent.contains(property::delivery_mode)) seen.remove(property::delivery_mode);
    CHECK(seen.count() == sent.count());
    for (const auto& each : sent) {
        CAPTURE(std::string{each.name});
        const auto found = seen.find(each.name);
        REQUIRE(found.has_value());
        CHECK(*found == each.value);
        CHECK(wire_type_of(*found) == wire_type_of(each.value));
    }
}

/// Through copies to the dead letter, looked at each time.
void check_unchanged(const headers& sent) {
    for (const auto& kind : rabbitmq_kinds) {
        CAPTURE(std::string{kind.name});
        rabbitmq_shop at{kind, by_turns, 4};
        REQUIRE(at.server.publish("orders", "a", sent) == 1);
        at.tb.rest();
        at.tb.advance(1h);
        REQUIRE(at.tb.calls("charge") == 4);
        for (const auto& call : at.tb.calls("charge")) {
            check_same(without_the_servers(call.with), sent);
        }
        REQUIRE(at.dead().size() == 1);
        check_same(without_the_servers(at.dead()[0].with), sent);
        CHECK(at.spoken("server (fallen)") == 0);
        CHECK(at.spoken("server channel.close") == 0);
        at.check_at_rest();
    }
}

TEST_CASE("B44: every property is on each copy and on the dead letter as it was sent") {
    check_unchanged({{property::content_type, "application/json"},
                     {property::content_encoding, "gzip"},
                     {property::delivery_mode, 2U},
                     {property::priority, 5U},
                     {property::correlation_id, "c-1"},
                     {property::reply_to, "answers"},
                     {property::message_id, "m-1"},
                     {property::timestamp, 1'700'000'000U},
                     {property::type, "order"},
                     {property::user_id, "guest"},
                     {property::app_id, "shop"},
                     {property::cluster_id, "east"},
                     {"own", "header"}});
}

TEST_CASE("B55: an array in a header is on each copy as it was sent, and the connection stays") {
    // ["a", "b", [1, 2]]
    check_unchanged({{"routes", array("S\0\0\0\1aS\0\0\0\1bA\0\0\0\12I\0\0\0\1I\0\0\0\2"sv)},
                     {"behind", "it"}});
    check_unchanged({{"empty", array("")}});
    check_unchanged({{"of tables", array("F\0\0\0\3\1nVF\0\0\0\0"sv)}});
}

TEST_CASE(
    "B35: the cap reads Waybill's own count, whatever others and the server write of deaths") {
    // [{"count": 9}]
    const auto nine = "F\0\0\0\17\5countl\0\0\0\0\0\0\0\11"sv;
    const headers others{{"x-death", array(nine)}, {"x-delivery-count", 9}, {"x-retries", "9"}};
    for (const auto& kind : rabbitmq_kinds) {
        for (const bool keeps : {false, true}) {
            for (const auto& sent : {headers{}, others}) {
                CAPTURE(std::string{kind.name});
                CAPTURE(keeps);
                rabbitmq_shop at{kind, always(waybill::retry_after(1s)), 3,
                                 [&](auto& orders, auto&) {
                                     if (keeps) orders.keep_deaths();
                                 }};
                at.server.publish("orders", "a", sent);
                at.tb.rest();
                at.tb.advance(1h);
                CHECK(at.tb.calls("charge") == 3);
                REQUIRE(at.dead().size() == 1);
                CHECK(at.dead()[0].with.text("waybill-retry-count") == "3");
                at.check_at_rest();
            }
        }
    }
}

TEST_CASE("B72: a record of deaths is the server's array of tables, or is not there") {
    const headers as_text{{"x-death", "[{\"count\": 3}]"}, {"x-first-death-queue", 7}};
    for (const auto& kind : rabbitmq_kinds) {
        for (const bool keeps : {false, true}) {
            CAPTURE(std::string{kind.name});
            CAPTURE(keeps);
            rabbitmq_shop at{kind, always(waybill::retry_after(1s)), 7, [&](auto& orders, auto&) {
                                 if (keeps) orders.keep_deaths();
                             }};
            at.server.publish("orders", "a", as_text);
            at.tb.rest();
            at.tb.advance(1h);
            REQUIRE(at.tb.calls("charge") == 7);
            for (const auto& call : at.tb.calls("charge")) {
                if (call.attempt == 1) continue;
                const auto deaths = call.with.find("x-death");
                REQUIRE(deaths.has_value());
                CHECK(wire_type_of(*deaths) == wire_type::array);
            }
            REQUIRE(at.dead().size() == 1);
            CHECK(at.dead()[0].with.contains("x-death") == keeps);
            at.check_at_rest();
        }
    }
}

TEST_CASE("B76: a delay that others wrote is neither waited nor stumbled over") {
    for (const auto& delay : {as(wire_type::i32, -5000), header_value{std::int64_t{-5000}},
                              header_value{INT64_MAX}, header_value{"soon"}}) {
        for (const auto& kind : rabbitmq_kinds) {
            CAPTURE(std::string{kind.name});
            rabbitmq_shop at{kind, always(waybill::retry_after(2s)), 2};
            at.server.publish("orders", "a", {{"x-delay", delay}});
            at.tb.rest();
            at.tb.advance(1999ms);
            CHECK(at.tb.calls("charge") == 1);
            at.tb.advance(1ms);
            REQUIRE(at.tb.calls("charge") == 2);
            for (const auto& call : at.tb.calls("charge")) {
                CHECK(call.with.find("x-delay") == delay);
                CHECK(wire_type_of(*call.with.find("x-delay")) == wire_type_of(delay));
            }
            CHECK(at.dead().size() == 1);
        }
    }
}

TEST_CASE("B04: a wait is no return: it is published once, and comes again once") {
    for (const auto& kind : rabbitmq_kinds) {
        CAPTURE(std::string{kind.name});
        rabbitmq_shop at{kind,
                         [](waybill::context& with) {
                             return with.attempt() == 1 ? waybill::retry_after(1s) : waybill::ack();
                         },
                         3};
        at.server.publish("orders", "a");
        at.tb.rest();
        at.tb.advance(1h);
        CHECK(at.tb.calls("charge") == 2);
        CHECK(at.spoken("client basic.publish") == 1);
        CHECK(at.spoken("server basic.return") == 0);
        CHECK(at.dead().empty());
        at.check_at_rest();
    }
}

TEST_CASE("B70: sixty rounds of waits leave a copy with the headers that it had after one") {
    for (const auto& kind : rabbitmq_kinds) {
        for (const bool keeps : {false, true}) {
            CAPTURE(std::string{kind.name});
            CAPTURE(keeps);
            // Long enough to wait on the server, or in hand.
            for (const auto delay : {10ms, 1000ms}) {
                rabbitmq_shop at{kind, always(waybill::retry_after(delay)), 100,
                                 [&](auto& orders, auto&) {
                                     if (keeps) orders.keep_deaths();
                                 },
                                 "?frame_max=4096"};
                at.server.publish("orders", "a", {{"tag", "x"}});
                at.tb.rest();
                at.tb.advance(61 * delay);
                REQUIRE(at.tb.calls("charge") == 62);
                // Round for round the same, but for the digits of the count and one record a queue.
                const auto size_of = [&](std::size_t call) {
                    return at.tb.calls("charge")[call].with.packed().size();
                };
                const auto count_of = [&](std::size_t call) {
                    return at.tb.calls("charge")[call].with.count();
                };
                CHECK(count_of(61) == count_of(2));
                CHECK(size_of(61) <= size_of(2) + 2);
                CHECK(at.spoken("client connection.open") == 2);
            }
        }
    }
}

/// How often `text` stands in the keys and addresses of what the service published.
std::size_t published_to(const rabbitmq_shop& at, std::string_view where) {
    return at.spoken(std::string{"client basic.publish "}.append(where));
}

TEST_CASE("B45, B89: what a topic routed is tried again by the queue that failed alone") {
    for (const auto& kind : rabbitmq_kinds) {
        CAPTURE(std::string{kind.name});
        rabbitmq_shop at{
            kind, by_turns, 4, [&](auto& orders, auto& broker) {
                broker.declare(waybill::rabbitmq::exchange::topic("all"));
                orders.bind("all", "orders.eu.*");
                broker.declare(std::move(waybill::rabbitmq::queue{"neighbour"}.type(kind.type))
                                   .bind("all", "orders.#"));
            }};
        REQUIRE(at.server.publish({"all", "orders.eu.new"}, "a") == 2);
        at.tb.rest();
        at.tb.advance(1h);
        const auto calls = at.tb.calls("charge");
        REQUIRE(calls == 4);
        CHECK(calls[0].address == "/exchanges/all/orders.eu.new");
        CHECK(calls[3].address == "orders");
        CHECK(at.server.queued("neighbour") == 1);
        CHECK(published_to(at, "all") == 0);
        REQUIRE(at.dead().size() == 1);
        CHECK(at.dead()[0].with.text("waybill-dead-source") == "orders");
        at.check_at_rest();
    }
}

TEST_CASE("B90: what came through a chain of exchanges is tried again by the queue that failed") {
    for (const auto& kind : rabbitmq_kinds) {
        CAPTURE(std::string{kind.name});
        rabbitmq_shop at{
            kind, always(waybill::retry_after(1s)), 4, [&](auto& orders, auto& broker) {
                using waybill::rabbitmq::exchange;
                broker.declare(exchange::fanout("a"));
                for (const auto* each : {"b", "c", "d"}) {
                    broker.declare(exchange::fanout(each).bind("a", ""));
                }
                for (const auto* each : {"b", "c"}) {
                    broker.declare(
                        waybill::rabbitmq::queue{std::string{"of "} + each}.type(kind.type).bind(
                            each, ""));
                }
                orders.bind("d", "");
            }};
        REQUIRE(at.server.publish({"a", "k"}, "one") == 3);
        at.tb.rest();
        at.tb.advance(1h);
        CHECK(at.tb.calls("charge") == 4);
        CHECK(at.server.queued("of b") == 1);
        CHECK(at.server.queued("of c") == 1);
        CHECK(at.dead().size() == 1);
        at.check_at_rest();
    }
}

/// Two small ones, and one between whose own headers have this size; all fail at every attempt.
void fail_all(rabbitmq_shop& at, std::size_t size) {
    for (const auto* each : {"before", "large", "after"}) {
        headers with;
        if (std::string_view{each} == "large") with.append("big", std::string(size, 'x'));
        REQUIRE(at.server.publish("orders", each, with) == 1);
    }
    at.tb.rest();
    at.tb.advance(1h);
}

std::string bodies(const std::vector<waybill::rabbitmq::stored_message>& all) {
    std::set<std::string> sorted;
    for (const auto& each : all) sorted.insert(each.payload);
    CHECK(sorted.size() == all.size());
    std::string text;
    for (const auto& each : sorted) text += each + ' ';
    return text;
}

constexpr std::size_t frame = 131'072;

TEST_CASE("B71: what does not fit into a frame as a copy fails alone, and is a dead letter") {
    for (const auto& kind : rabbitmq_kinds) {
        for (const std::size_t size : {frame - 900, frame - 600, frame - 300}) {
            CAPTURE(std::string{kind.name});
            CAPTURE(size);
            rabbitmq_shop at{kind, always(waybill::retry()), 3};
            fail_all(at, size);
            CHECK(bodies(at.dead()) == "after before large ");
            for (const auto& each : at.dead()) {
                if (each.payload == "large") CHECK(each.with.text("big")->size() == size);
            }
            CHECK(at.spoken("client connection.open") == 2);
            at.check_at_rest();
        }
    }
}

TEST_CASE("B71: what fits in no form is kept, or goes where the server itself keeps it") {
    for (const auto& kind : rabbitmq_kinds) {
        // With the frame's ends, the head of the content, the mode and the name it fills a frame.
        for (const std::size_t size : {std::size_t{131'000}, frame - 8 - 14 - 1 - 4 - 4 - 5}) {
            CAPTURE(std::string{kind.name});
            CAPTURE(size);
            {
                rabbitmq_shop at{kind, always(waybill::retry()), 3};
                fail_all(at, size);
                CHECK(bodies(at.dead()) == "after before ");
                CHECK(at.server.unsettled("orders") == 1);
                CHECK(at.tb.health().state == waybill::health_state::degraded);
                at.tb.stop();
                CHECK(bodies(at.server.messages("orders")) == "large ");
                CHECK(at.spoken("client connection.open") == 2);
            }
            rabbitmq_shop at{kind, always(waybill::retry()), 3, [](auto& orders, auto& broker) {
                                 orders.server_dead_letter("", "kept");
                                 broker.declare(waybill::rabbitmq::queue{"kept"});
                             }};
            fail_all(at, size);
            CHECK(bodies(at.dead()) == "after before ");
            CHECK(bodies(at.server.messages("kept")) == "large ");
            at.check_at_rest();
        }
    }
}

}  // namespace rabbitmq_copies_reports
