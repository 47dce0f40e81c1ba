// A stream that somebody else has declared is found out before it is read.
#include "transport/rabbitmq/streams.hpp"

#include "rabbitmq_client.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>

namespace mq_streams_test {

using namespace waybill::rabbitmq;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;

constexpr server_version every_version[] = {server_version::v3_10, server_version::v4_0,
                                            server_version::v4_3};

/// "" where nothing is said against reading it; else what and what to do.
std::string said_against(mq_client& client, const queue& what) {
    const auto checked = refuse_stream(*client.operator->(), 1, what.said());
    return checked ? "" : checked.error().message();
}

TEST_CASE("a stream of somebody else is found out, whatever it keeps, and left as it is") {
    for (const auto version : every_version) {
        CAPTURE(static_cast<int>(version));
        const mq_rig at{version};
        mq_client client{at.time};
        const headers with_age{{"x-queue-type", "stream"}, {"x-max-age", "7D"}};
        const headers with_size{{"x-queue-type", "stream"}, {"x-max-length-bytes", 50'000'000'000}};
        CHECK(client.declare("plain", {{"x-queue-type", "stream"}}).empty());
        CHECK(client.declare("aged", with_age).empty());
        CHECK(client.declare("sized", with_size).empty());
        for (const auto* name : {"plain", "aged", "sized"}) {
            CHECK(said_against(client, queue{name}.passive()) ==
                  "queue " + std::string{name} +
                      ": a stream gives nothing back, so a delivery could not be retried. read a "
                      "quorum or a classic queue that is bound to the same exchange");
            CHECK(
                said_against(client, queue{name}.quorum().declared_elsewhere()).find("a stream") !=
                std::string::npos);
        }
        CHECK(client.declare("sized", with_size).empty());
    }
}

TEST_CASE("any other queue of somebody else is read, whatever was said of it here") {
    for (const auto version : every_version) {
        CAPTURE(static_cast<int>(version));
        const mq_rig at{version};
        mq_client client{at.time};
        CHECK(client.declare("classic", {{"x-max-length-bytes", 7}}).empty());
        CHECK(client.declare("transient", {}, false).empty());
        CHECK(client.declare("quorum", {{"x-queue-type", "quorum"}, {"x-message-ttl", 9}}).empty());
        for (const auto* name : {"classic", "transient", "quorum"}) {
            CHECK(said_against(client, queue{name}.declared_elsewhere()).empty());
            CHECK(said_against(client, queue{name}.quorum().passive()).empty());
            CHECK(said_against(client, queue{name}.max_length_bytes(7).passive()).empty());
        }
    }
}

TEST_CASE("a queue that is not there is not made by being looked at") {
    const mq_rig at;
    mq_client client{at.time};
    CHECK(said_against(client, queue{"gone"}.passive()).find("does not exist") !=
          std::string::npos);
    CHECK_FALSE(at.server.exists("gone"));
    // The channel can be used again.
    CHECK(client.declare("another").empty());
}

TEST_CASE("a service that would read somebody else's stream does not start") {
    constexpr const char* url = "amqp://streams-test.invalid";
    for (const bool elsewhere : {false, true}) {
        const fake_server server{url};
        queue log{"log"};
        elsewhere ? log.declared_elsewhere() : log.passive();
        broker config{url};
        config.declare(queue{"log"}.stream());
        waybill::app app{"reader", "1"};
        app.log_level(waybill::log_level::off);
        app.broker(std::move(config))
            .subscribe(log, [](waybill::context&) { return waybill::ack(); })
            .max_attempts(3)
            .dead_letter("log.dead");
        CHECK_THROWS_WITH_AS(waybill::test_app{std::move(app)},
                             doctest::Contains("a stream gives nothing back"),
                             waybill::test_failure);
    }
}

}  // namespace mq_streams_test
