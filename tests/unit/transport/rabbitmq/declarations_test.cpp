#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/routing.hpp"
#include "transport/rabbitmq/topology.hpp"
#include "transport/rabbitmq/waits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace declarations_test {

using namespace std::chrono_literals;
namespace detail = waybill::detail;
using waybill::rabbitmq::broker;
using waybill::rabbitmq::capabilities_for;
using waybill::rabbitmq::exchange;
using waybill::rabbitmq::explain_refusal;
using waybill::rabbitmq::queue;
using waybill::rabbitmq::queue_type;
using waybill::rabbitmq::read_version;
using waybill::rabbitmq::version_number;
using waybill::rabbitmq::waiting_queue_name;
using waybill::rabbitmq::waits;

TEST_CASE("a queue's builder writes typed arguments") {
    const auto orders = queue{"orders"}
                            .quorum()
                            .max_length(1000)
                            .message_ttl(1500us)
                            .server_dead_letter("", "orders.dead")
                            .delivery_limit(7);
    CHECK(orders.said().spec.arguments ==
          waybill::headers{{"x-queue-type", "quorum"},
                           {"x-max-length", std::int64_t{1000}},
                           {"x-message-ttl", std::int64_t{2}},
                           {"x-dead-letter-exchange", ""},
                           {"x-dead-letter-routing-key", "orders.dead"},
                           {"x-delivery-limit", std::int64_t{7}}});
}

TEST_CASE("what an argument says of a queue counts like the verb for it") {
    const auto by_argument = queue{"orders"}
                                 .argument("x-queue-type", "quorum")
                                 .argument("x-dead-letter-exchange", "dead")
                                 .argument("x-single-active-consumer", true)
                                 .argument("x-delivery-limit", 7);
    const auto by_verb =
        queue{"orders"}.quorum().server_dead_letter("dead").single_active_consumer().delivery_limit(
            7);
    for (const auto& each : {by_argument, by_verb}) {
        CHECK(each.said().kind == waybill::rabbitmq::queue_type::quorum);
        CHECK(each.said().has_dead_letter);
        CHECK(each.said().single_active);
        CHECK(each.said().delivery_limit == 7U);
    }
    const broker at{"amqp://localhost"};
    const auto stream = at.check_source(queue{"log"}.argument("x-queue-type", "stream"));
    REQUIRE(stream);
    CHECK(stream->what == "a stream gives nothing back, so a delivery could not be retried");
    const auto unknown = at.check_source(queue{"log"}.argument("x-queue-type", "heap"));
    REQUIRE(unknown);
    CHECK(unknown->what == "x-queue-type is none of classic, quorum and stream");
    CHECK(queue{"orders"}.quorum().argument("x-queue-type", "classic").said().kind ==
          waybill::rabbitmq::queue_type::classic);
}

TEST_CASE("a time to live below what the server counts in is a mistake") {
    const broker at{"amqp://localhost"};
    CHECK_FALSE(at.check_source(queue{"orders"}.message_ttl(0ms)));
    const auto refused = at.check_source(queue{"orders"}.message_ttl(30ns));
    REQUIRE(refused);
    CHECK(refused->what == "message_ttl is 30ns; the server counts in ms");
}

TEST_CASE("what two hold of one queue does not change with the other") {
    auto one = queue{"orders"};
    auto other = one;
    other.quorum();
    CHECK(one.said().spec.arguments.text("x-queue-type") == "classic");
    CHECK(other.said().spec.arguments.text("x-queue-type") == "quorum");
}

TEST_CASE("a delivery limit below 0 is none, and one of 0 is met by the first return") {
    const auto limit = [](std::int64_t value) {
        return queue{"orders"}.argument("x-delivery-limit", value).said().delivery_limit;
    };
    CHECK(limit(-1) == 0);
    CHECK(limit(0) == 1);
    CHECK(limit(4) == 4);
}

TEST_CASE("mistakes are found by check, all at once, and name the queue") {
    broker at{"amqp://localhost"};
    at.declare(queue{"orders"}.quorum().transient().exclusive());
    at.declare(queue{""});
    at.declare(exchange::topic("")).publish_window(0);
    std::string all;
    for (const auto& each : at.problems()) all += each.message() + "\n";
    CHECK(all.find("a quorum queue is always durable") != std::string::npos);
    CHECK(all.find("a quorum queue cannot be exclusive") != std::string::npos);
    CHECK(all.find("a queue needs a name") != std::string::npos);
    CHECK(all.find("an exchange needs a name") != std::string::npos);
    CHECK(all.find("a publish window of 0") != std::string::npos);
    const auto limit = at.check_source(queue{"orders"}.delivery_limit(3));
    REQUIRE(limit);
    CHECK(limit->what.find("only a quorum queue has a delivery limit") != std::string::npos);
}

TEST_CASE("a login by certificate needs one, from the URL or beside it") {
    broker at{"amqps://localhost?auth_mechanism=external"};
    REQUIRE(at.problems().size() == 1);
    CHECK(at.problems().front().what ==
          "auth_mechanism=external needs a certificate of the client");
    at.with({.ca_file = {}, .certificate_file = "c.pem", .key_file = "k.pem"});
    CHECK(at.problems().empty());
}

TEST_CASE("half of a client's certificate is a mistake, wherever it is said") {
    const auto mistakes = [](std::string certificate, std::string key) {
        return broker{"amqps://localhost"}
            .with({.ca_file = {},
                   .certificate_file = std::move(certificate),
                   .key_file = std::move(key)})
            .problems();
    };
    const auto no_key = mistakes("c.pem", "");
    REQUIRE(no_key.size() == 1);
    CHECK(no_key.front().what == "a certificate of the client without its key");
    const auto no_certificate = mistakes("", "k.pem");
    REQUIRE(no_certificate.size() == 1);
    CHECK(no_certificate.front().what == "a key of the client without its certificate");
    CHECK(mistakes("c.pem", "k.pem").empty());
    CHECK(mistakes("", "").empty());
    CHECK(broker{"amqps://localhost?certfile=c.pem"}.problems().size() == 1);
}

TEST_CASE("a stream cannot be read, and the reason is said") {
    const broker at{"amqp://localhost"};
    const auto refused = at.check_source(queue{"log"}.stream());
    REQUIRE(refused);
    CHECK(refused->what == "a stream gives nothing back, so a delivery could not be retried");
}

TEST_CASE("what a queue can do depends on its type and the server's version") {
    const auto quorum = queue{"orders"}.quorum();
    const auto classic = queue{"orders"};
    const auto of = [](const queue& what, std::string_view version) {
        return capabilities_for(what.said(), waits::in_queues, read_version(version));
    };
    using detail::count_support;
    CHECK(of(classic, "3.10.8").counts == count_support::none);
    CHECK(of(quorum, "3.10.8").counts == count_support::returns);
    CHECK(of(quorum, "4.0.5").counts == count_support::returns);
    CHECK(of(quorum, "4.3.6").counts == count_support::failures);
    CHECK(of(quorum, "?").counts == count_support::returns);
    CHECK(of(quorum, "3.10.8").delivery_limit == 0);
    CHECK(of(quorum, "4.0.5").delivery_limit == 20);
    CHECK(of(quorum, "?").delivery_limit == 20);
    // It may be declared elsewhere as what it is not.
    CHECK(of(classic, "4.0.5").delivery_limit == 20);
    CHECK(of(queue{"orders"}.quorum().delivery_limit(3), "3.10.8").delivery_limit == 3);
    CHECK(of(queue{"orders"}.quorum().delivery_limit(0), "4.0.5").delivery_limit == 0);
    CHECK(of(classic, "3.10.8").delays_copies);
    CHECK_FALSE(
        capabilities_for(classic.said(), waits::in_memory, read_version("4.0")).delays_copies);
    CHECK(read_version("4.10.1") > version_number{4, 3});
    CHECK_FALSE(read_version("four"));
    CHECK_FALSE(read_version("4"));
}

TEST_CASE("copies keep the record of deaths only where it is asked for") {
    const auto leaves_out = [](const queue& what, std::string_view name) {
        const auto can = capabilities_for(what.said(), waits::in_queues, std::nullopt);
        return std::ranges::any_of(can.not_copied,
                                   [&](const auto& each) { return each.name == name; });
    };
    for (const auto* name : {"x-death", "x-first-death-queue", "x-last-death-exchange"}) {
        CHECK(leaves_out(queue{"orders"}, name));
        CHECK_FALSE(leaves_out(queue{"orders"}.keep_deaths(), name));
    }
    for (const auto* name : {"CC", "BCC", "x-delivery-count", ":expiration"}) {
        CHECK(leaves_out(queue{"orders"}.keep_deaths(), name));
    }
}

TEST_CASE("a mismatch names the argument and both values") {
    const auto said = explain_refusal(
        {406,
         "PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'orders' in vhost '/': "
         "received the value '10' of type 'long' but current is '5' of type 'long'"},
        "queue orders");
    CHECK(
        said.message() ==
        "queue orders: its x-max-length was declared with the value '10', and what exists has "
        "'5'. declare what exists, or delete it when nobody needs what it holds, or say passive() "
        "or declared_elsewhere()");
}

TEST_CASE("a mismatch of types shows them where they differ") {
    const auto said = explain_refusal(
        {406,
         "PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'orders' in vhost '/': "
         "received the value '5' of type 'longstr' but current is '5' of type 'long'"},
        "queue orders");
    CHECK(said.what ==
          "its x-max-length was declared with the value '5' of type 'longstr', and what exists has "
          "'5' of type 'long'");
}

TEST_CASE("a queue of another type is said as one") {
    const auto said = [](std::string_view received, std::string_view current) {
        return explain_refusal(
                   {406,
                    "PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue "
                    "'orders' in vhost '/': received " +
                        std::string{received} + " but current is " + std::string{current}},
                   "queue orders")
            .message();
    };
    CHECK(said("none", "the value 'quorum' of type 'longstr'") ==
          "queue orders: its x-queue-type was declared with 'classic', and what exists has "
          "'quorum'. say "
          ".quorum() (with passive() and declared_elsewhere() too), or delete it when nobody needs "
          "what it holds");
    CHECK(
        said("the value 'quorum' of type 'longstr'", "none") ==
        "queue orders: its x-queue-type was declared with 'quorum', and what exists has 'classic'. "
        "say "
        ".classic() (with passive() and declared_elsewhere() too), or delete it when nobody needs "
        "what it holds");
    CHECK(
        said("none", "the value 'stream' of type 'longstr'") ==
        "queue orders: its x-queue-type was declared with 'classic', and what exists has 'stream'. "
        "read another queue, as a stream gives nothing back, or delete it when nobody needs what "
        "it holds");
}

TEST_CASE("a name that the server keeps to itself is not a matter of rights") {
    const auto said = explain_refusal(
        {403, "ACCESS_REFUSED - queue name 'amq.x' contains reserved prefix 'amq.*'"},
        "queue amq.x");
    CHECK(said.fix == "give it a name that does not begin with amq.");
}

TEST_CASE("words that the server cut short are shown as they are") {
    const auto said = explain_refusal({406, "PRECONDITION_FAILED - inequivalent arg 'x-max"}, "q");
    CHECK(said.what == "PRECONDITION_FAILED - inequivalent arg 'x-max");
}

TEST_CASE("the topology is said in words, each thing once") {
    broker at{"amqp://localhost"};
    at.delays(waits::in_memory);
    at.declare(exchange::topic("events").alternate("unrouted"));
    at.declare(queue{"orders"}.quorum().max_length(10).bind("events", "order.#"));
    const waybill::source orders =
        queue{"orders"}.quorum().max_length(10).bind("events", "order.#");
    const waybill::source seen = queue{"seen"}.exclusive().passive();
    const waybill::source* const read[] = {&orders, &seen};
    CHECK(at.topology(read) ==
          std::vector<std::string>{
              "exchange events (topic, alternate-exchange unrouted)",
              "queue orders (quorum, x-max-length 10), bound to events by order.#",
              "queue seen (classic, exclusive, must be there)"});
}

TEST_CASE("the topology names the queues that retries wait in, where they do") {
    const auto lines = [](queue what, waits where) {
        broker at{"amqp://localhost/shop"};
        at.delays(where);
        const waybill::source from = std::move(what);
        const waybill::source* const read[] = {&from, &from};
        auto all = at.topology(read);
        REQUIRE(!all.empty());
        all.erase(all.begin());  // the queue itself
        return all;
    };
    const auto name_for = [](queue_type type, std::string_view queue) {
        auto name = waiting_queue_name(std::chrono::milliseconds{30'000}, type, "shop", queue);
        return name.replace(name.find("30000"), 5, "<ms>");
    };
    using all = std::vector<std::string>;
    CHECK(lines(queue{"orders"}, waits::in_queues) ==
          all{"queue " + name_for(queue_type::quorum, "orders") +
              " (quorum), made when a retry of orders waits so long"});
    CHECK(lines(queue{"here"}.transient(), waits::in_queues) ==
          all{"queue " + name_for(queue_type::classic, "here") +
              " (classic), made when a retry of here waits so long"});
    CHECK(lines(queue{"orders"}, waits::in_memory).empty());
    CHECK(lines(queue{"orders"}.legacy_retry_queues("wait", "spent"), waits::in_queues).empty());
}

TEST_CASE("a dead letter that comes back over an exchange is seen") {
    broker at{"amqp://localhost"};
    at.declare(exchange::topic("events"));
    at.declare(exchange::fanout("all").bind("events", "dead.#"));
    const waybill::source orders = queue{"orders"}.bind("all", "");
    CHECK(at.reads(orders, "orders"));
    CHECK(at.reads(orders, "/exchanges/events/dead.letter"));
    CHECK_FALSE(at.reads(orders, "/exchanges/events/alive"));
    CHECK_FALSE(at.reads(orders, "orders.dead"));
}

}  // namespace declarations_test
