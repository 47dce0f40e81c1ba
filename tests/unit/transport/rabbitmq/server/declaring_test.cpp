// What a server says to a declaration: its own words, as 3.10.8, 4.0.5 and 4.3.6 were seen to use
// them.
#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mq_declaring_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;

std::string answer_to(mq_client& client, const mq::queue_spec& what, bool passive = false) {
    const auto text = mq_client::text(client->declare(1, what, passive));
    if (!text.empty()) (void)client->open_channel(1);
    return text;
}

mq::queue_spec plain(std::string name, headers arguments = {}) {
    return {std::move(name), true, false, false, std::move(arguments)};
}

TEST_CASE("a second declaration that says something else is refused, and names what") {
    const mq_rig at;
    mq_client client{at.time};
    CHECK(answer_to(client, plain("c", {{"x-max-length", 5}})) == "");
    const std::string where = " for queue 'c' in vhost '/': ";
    CHECK(answer_to(client, plain("c", {{"x-max-length", 10}})) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-max-length'" + where +
              "received '10' but current is '5'");
    CHECK(answer_to(client, plain("c")) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-max-length'" + where +
              "received none but current is the value '5' of type 'long'");
    CHECK(answer_to(client, plain("c", {{"x-max-length", 5}, {"x-message-ttl", 1000}})) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-message-ttl'" + where +
              "received the value '1000' of type 'long' but current is none");
    CHECK(answer_to(client, {"c", false, false, false, {{"x-max-length", 5}}}) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'durable'" + where +
              "received 'false' but current is 'true'");
    CHECK(answer_to(client, {"c", true, false, true, {{"x-max-length", 5}}}) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'auto_delete'" + where +
              "received 'true' but current is 'false'");
    const headers narrow{
        {"x-max-length", as(mq::wire_type::i16, 5)}, {"x-unknown", 1}, {"x-queue-type", "classic"}};
    CHECK(answer_to(client, plain("c", narrow)) == "");
}

TEST_CASE("another type of queue is refused, by version") {
    const mq_rig old{mq::server_version::v3_10};
    mq_client client{old.time};
    answer_to(client, plain("c"));
    CHECK(answer_to(client, plain("c", {{"x-queue-type", "quorum"}})) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'c' in vhost '/': "
          "received the value 'quorum' of type 'longstr' but current is none");
}

TEST_CASE("another type of queue is refused, from 4.0 on in other words") {
    const mq_rig at;
    mq_client client{at.time};
    answer_to(client, plain("q", {{"x-queue-type", "quorum"}}));
    CHECK(answer_to(client, plain("q")) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'q' in vhost '/': "
          "received 'classic' but current is 'quorum'");
}

TEST_CASE("a size is compared before the type, and what the type does not know is not compared") {
    const mq_rig at;
    mq_client client{at.time};
    answer_to(client, plain("s", {{"x-queue-type", "stream"}, {"x-max-length-bytes", 5}}));
    CHECK(answer_to(client, plain("s", {{"x-max-length", 5}})) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-max-length-bytes' for queue 's' in vhost "
          "'/': received none but current is the value '5' of type 'long'");
    CHECK(answer_to(client, plain("s", {{"x-max-length-bytes", 5}, {"x-max-age", "7D"}})) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 's' in vhost '/': "
          "received 'classic' but current is 'stream'");
    answer_to(client, plain("c"));
    CHECK(answer_to(client, plain("c", {{"x-max-age", "none"}})) == "");
    CHECK(answer_to(client, plain("d", {{"x-max-age", "none"}})) ==
          "406 PRECONDITION_FAILED - invalid arg 'x-max-age' for queue 'd' in vhost '/' of queue "
          "type rabbit_classic_queue");
}

TEST_CASE("arguments of other types of queues, and values that are none") {
    const mq_rig at;
    mq_client client{at.time};
    const auto refused = [&](const headers& arguments, const std::string& why) {
        CHECK(answer_to(client, plain("q", arguments)) ==
              "406 PRECONDITION_FAILED - invalid " + why);
        CHECK_FALSE(at.server.exists("q"));
    };
    refused({{"x-delivery-limit", 5}},
            "arg 'x-delivery-limit' for queue 'q' in vhost '/' of queue type rabbit_classic_queue");
    refused({{"x-queue-type", "quorum"}, {"x-max-priority", 5}},
            "arg 'x-max-priority' for queue 'q' in vhost '/' of queue type rabbit_quorum_queue");
    refused({{"x-message-ttl", "abc"}},
            "arg 'x-message-ttl' for queue 'q' in vhost '/': \"expected integer, got longstr\"");
    refused({{"x-message-ttl", -5}},
            "arg 'x-message-ttl' for queue 'q' in vhost '/': {value_negative,-5}");
    refused({{"x-expires", 0}}, "arg 'x-expires' for queue 'q' in vhost '/': {value_zero,0}");
    refused({{"x-dead-letter-routing-key", "k"}},
            "arg 'x-dead-letter-routing-key' for queue 'q' in vhost '/': "
            "routing_key_but_no_dlx_defined");
    refused({{"x-overflow", "what"}},
            "arg 'x-overflow' for queue 'q' in vhost '/': invalid_overflow");
    refused({{"x-dead-letter-exchange", 5}},
            "type 'long' for arg 'x-dead-letter-exchange' in queue 'q' in vhost '/'");
    refused({{"x-queue-type", "what"}},
            "arg 'x-queue-type' for queue 'q' in vhost '/': \"unsupported queue type 'what'\"");
    CHECK(answer_to(client, {"q", false, false, false, {{"x-queue-type", "quorum"}}}) ==
          "406 PRECONDITION_FAILED - invalid property 'non-durable' for queue 'q' in vhost '/'");
}

TEST_CASE("passive looks: what is there with its numbers, or 404") {
    const mq_rig at;
    mq_client client{at.time};
    answer_to(client, plain("c", {{"x-max-length", 5}}));
    at.server.publish("c", "x");
    const auto state = client->declare(1, plain("c"), true);
    REQUIRE(state);
    CHECK(state->messages == 1);
    CHECK(state->consumers == 0);
    CHECK(answer_to(client, plain("nope"), true) == "404 NOT_FOUND - no queue 'nope' in vhost '/'");
}

TEST_CASE("an exclusive queue is for its connection, and goes with it") {
    const mq_rig at;
    mq_client owner{at.time, "owner"};
    mq_client other{at.time, "other"};
    CHECK(answer_to(owner, {"mine", false, true, false, {}}) == "");
    CHECK(answer_to(other, plain("mine"), true).starts_with("405 RESOURCE_LOCKED - cannot obtain"));
    owner.leave();
    CHECK_FALSE(at.server.exists("mine"));
}

TEST_CASE("transient queues are refused where the server is configured so") {
    const mq_rig at{mq::server_version::v4_3, {.refuses_transient_queues = true}};
    mq_client client{at.time};
    CHECK(answer_to(client, {"t", false, true, false, {}}) == "");
    CHECK(answer_to(client, {"u", false, false, false, {}}).starts_with("541 INTERNAL_ERROR"));
    CHECK_FALSE(client.read());
    CHECK(client.fallen);
}

TEST_CASE("a deletion under conditions; quorum queues know none, and the connection ends") {
    const mq_rig at;
    mq_client client{at.time};
    answer_to(client, plain("c"));
    at.server.publish("c", "x");
    CHECK(mq_client::text(client->delete_queue(1, "c", false, true)) ==
          "406 PRECONDITION_FAILED - queue 'c' in vhost '/' not empty");
    (void)client->open_channel(1);
    client.consume("c");
    CHECK(mq_client::text(client->delete_queue(1, "c", true, false)) ==
          "406 PRECONDITION_FAILED - queue 'c' in vhost '/' in use");
    (void)client->open_channel(1);
    CHECK(client->delete_queue(1, "nope", true, true).value() == 0);
    CHECK(client->delete_queue(1, "c", false, false).value() == 1);
    answer_to(client, plain("q", {{"x-queue-type", "quorum"}}));
    CHECK(mq_client::text(client->delete_queue(1, "q", true, false)) ==
          "540 NOT_IMPLEMENTED - cannot delete queue 'q' in vhost '/'. queue.delete operations "
          "with if-unused flag set are not supported by quorum queues");
    CHECK_FALSE(client->flush());
}

TEST_CASE("a queue that is deleted cancels its consumers, and settling what it had does nothing") {
    const mq_rig at;
    mq_client client{at.time};
    answer_to(client, plain("c"));
    client.consume("c");
    at.server.publish("c", "x");
    CHECK(client.bodies() == "x");
    CHECK(at.server.delete_queue("c"));
    CHECK(client.said() == "cancel c\n");
    client.ack_all();
    CHECK(client.said() == "");
    CHECK_FALSE(client.fallen);
}

TEST_CASE("exchanges: kinds, mismatches, and an unknown kind by version") {
    const mq_rig at{mq::server_version::v3_10};
    mq_client client{at.time};
    CHECK(client.declare_exchange("e", "topic") == "");
    CHECK(client.declare_exchange("e", "direct") ==
          "406 PRECONDITION_FAILED - inequivalent arg 'type' for exchange 'e' in vhost '/': "
          "received 'direct' but current is 'topic'");
    (void)client->open_channel(1);
    CHECK(client.declare_exchange("e", "topic", {{"alternate-exchange", "x"}}) ==
          "406 PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange 'e' in "
          "vhost '/': received the value 'x' of type 'longstr' but current is none");
    (void)client->open_channel(1);
    CHECK(client.declare_exchange("f", "what") ==
          "503 COMMAND_INVALID - unknown exchange type 'what'");
    CHECK_FALSE(client->flush());
}

}  // namespace mq_declaring_test
