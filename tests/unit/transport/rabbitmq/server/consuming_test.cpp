// What consumers get: windows, turns, places of what comes back, settling.
#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mq_consuming_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;

void publish_letters(const mq_rig& at, std::string_view queue, std::string_view letters) {
    for (const auto letter : letters) at.server.publish(queue, std::string(1, letter));
}

TEST_CASE("the window is a consumer's own, and the one in force when it began") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.consume("q", 1, "careful");
    publish_letters(at, "q", "abcd");
    CHECK(client.bodies() == "a");
    CHECK(at.server.queued("q") == 3);
    CHECK(at.server.unsettled("q") == 1);
    client.consume("q", 2, "more");
    CHECK(client.bodies() == "b c");
    client.ack_all();
    CHECK(client.bodies() == "d");
}

TEST_CASE("consumers take turns; those of a higher priority come first while they have room") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.consume("q", 0, "one");
    client.consume("q", 0, "two");
    client.consume("q", 1, "first", {{"x-priority", 5}});
    publish_letters(at, "q", "abcd");
    client.bodies();
    std::string who;
    for (const auto& each : client.last) who += each.consumer + each.body + ' ';
    CHECK(who == "firsta oneb twoc oned ");
}

TEST_CASE("a single active consumer reads alone until it is gone") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q", {{"x-single-active-consumer", true}});
    client.consume("q", 0, "one");
    client.consume("q", 0, "two");
    publish_letters(at, "q", "ab");
    client.bodies();
    CHECK(client.last[0].consumer == "one");
    CHECK(client.last[1].consumer == "one");
    CHECK(client->cancel(1, "one"));
    publish_letters(at, "q", "c");
    CHECK(client.bodies() == "c");
    CHECK(client.last[0].consumer == "two");
}

TEST_CASE("an exclusive consumer keeps others out, and does not get in beside others") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    CHECK(client->consume(1, "q", "only", true, {}));
    CHECK(client.consume("q", 0, "other") ==
          "403 ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use");
}

TEST_CASE("what comes back to a classic queue takes its old place") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    publish_letters(at, "q", "abcde");
    client.consume("q", 3);
    CHECK(client.bodies() == "a b c");
    CHECK(client->cancel(1, "q"));
    client->nack(1, 2, false, true);
    client->nack(1, 1, false, true);
    client.consume("q", 0, "again");
    CHECK(client.bodies() == "a+ b+ d e");
}

TEST_CASE("what comes back to a quorum queue goes before all others, in the order of coming back") {
    for (const auto version : {mq::server_version::v4_0, mq::server_version::v4_3}) {
        const mq_rig at{version};
        mq_client client{at.time};
        client.declare("q", {{"x-queue-type", "quorum"}});
        publish_letters(at, "q", "abcde");
        client.consume("q", 3);
        CHECK(client.bodies() == "a b c");
        CHECK(client->cancel(1, "q"));
        client->nack(1, 2, false, true);
        client->nack(1, 1, false, true);
        client.consume("q", 0, "again");
        CHECK(client.bodies() == "b+ a+ d e");
        at.server.drop_connections();
        mq_client next{at.time};
        next.consume("q");
        CHECK(next.bodies() == "c+ b+ a+ d+ e+");
    }
}

TEST_CASE("without a delivery limit it goes to the end, before 4.3") {
    const mq_rig old{mq::server_version::v3_10};
    mq_client client{old.time};
    client.declare("q", {{"x-queue-type", "quorum"}});
    publish_letters(old, "q", "abc");
    client.consume("q", 1);
    CHECK(client.bodies() == "a");
    CHECK(client->cancel(1, "q"));
    client->nack(1, 1, false, true);
    client.consume("q", 0, "again");
    CHECK(client.bodies() == "b c a+");
}

TEST_CASE("acks of several at once, of everything, and of what is not in hand") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.consume("q");
    publish_letters(at, "q", "abcde");
    CHECK(client.bodies() == "a b c d e");
    client->ack(1, 2, true);
    CHECK(at.server.unsettled("q") == 3);
    client->ack(1, 0, true);
    CHECK(at.server.unsettled("q") == 0);
    client->ack(1, 2, false);
    CHECK(client.said() == "closed 406 PRECONDITION_FAILED - unknown delivery tag 2\n");
}

TEST_CASE("what arrives after the server closed a channel is ignored until the client knows") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.publish("nope", "key", "x");
    client.publish("", "q", "y");
    CHECK(at.server.queued("q") == 0);
    CHECK(client.said() == "closed 404 NOT_FOUND - no exchange 'nope' in vhost '/'\n");
    CHECK(client->open_channel(1));
    client.publish("", "q", "y");
    CHECK(at.server.queued("q") == 1);
}

TEST_CASE("a client that waits for an answer finds the closure in its place") {
    const mq_rig at;
    mq_client client{at.time};
    client.publish("nope", "key", "x");
    CHECK(client.declare("q") == "404 NOT_FOUND - no exchange 'nope' in vhost '/'");
    CHECK(client.said() == "");
    client.publish("", "q", "x");
    CHECK_FALSE(client.read());
    CHECK(client.fallen);
}

TEST_CASE("an empty body, and one of every byte") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.consume("q");
    std::string all(256, '\0');
    for (std::size_t each = 0; each < all.size(); ++each) all[each] = static_cast<char>(each);
    client.publish("", "q", "");
    client.publish("", "q", all);
    client.read();
    REQUIRE(client.deliveries.size() == 2);
    CHECK(client.deliveries[0].body.empty());
    CHECK(client.deliveries[1].body == all);
    CHECK(client.arrivals == 2);
}

TEST_CASE("an auto-delete queue goes with its last consumer") {
    const mq_rig at;
    mq_client client{at.time};
    (void)client->declare(1, mq::queue_spec{"q", true, false, true, {}}, false);
    client.consume("q");
    CHECK(at.server.exists("q"));
    CHECK(client->cancel(1, "q"));
    CHECK_FALSE(at.server.exists("q"));
}

}  // namespace mq_consuming_test
