// What a test does to the server: lost connections, restarts, planned failures, alarms.
#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace mq_faults_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;
using mq::publish_fault;

std::unique_ptr<mq::connector> stands_at(std::string host, bool must = false) {
    mq::connection_settings to;
    to.hosts = {{std::move(host), 5672}};
    return mq::the_stand_in().load()(to, nullptr, must);
}

TEST_CASE("publishes fail as it was planned, as often as it was planned, at that place alone") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    CHECK(client->select_confirms(1));
    at.server.fail_publishes("q", 2, publish_fault::nacked);
    at.server.publish("q", "from outside");
    for (const auto* each : {"a", "b", "c"}) client.publish("", "q", each);
    CHECK(client.said() == "nack 1\nnack 2\nack 3\n");
    CHECK(at.server.queued("q") == 2);
    at.server.fail_publishes("q", 1, publish_fault::returned);
    client.publish("", "q", "d");
    CHECK(client.said() == "return 312 q\nack 4\n");
    at.server.fail_publishes("q", 5);
    at.server.fail_publishes("q", 0);
    client.publish("", "q", "e");
    CHECK(client.said() == "ack 5\n");
    at.server.fail_publishes("q", 1, publish_fault::channel_closed);
    client.publish("", "q", "f");
    CHECK(client.said() == "closed 406 PRECONDITION_FAILED - a publish that was planned to fail\n");
    CHECK(at.server.queued("q") == 3);
}

TEST_CASE("a connection that is lost with a publish on its way: taken or not, nobody knows") {
    const mq_rig at;
    for (const auto how : {publish_fault::connection_lost, publish_fault::taken_and_lost}) {
        mq_client client{at.time};
        client.declare("q");
        CHECK(client->select_confirms(1));
        client.publish("", "q", "before");
        at.server.fail_publishes("q", 1, how);
        client.publish("", "q", "x");
        client.publish("", "q", "after");
        CHECK(client.said() == "fallen\n");
        const auto flushed = client->flush();
        REQUIRE_FALSE(flushed);
        CHECK(flushed.error().code == 0);
    }
    CHECK(at.server.queued("q") == 3);
}

TEST_CASE("declarations of a queue end the connection as often as it was planned") {
    const mq_rig at;
    at.server.fail_declarations("q", 2);
    for (int round = 0; round < 2; ++round) {
        mq_client client{at.time};
        CHECK(client.declare("other").empty());
        CHECK(client.declare("q") == "541 INTERNAL_ERROR");
        CHECK(client.said() == "fallen\n");
    }
    CHECK_FALSE(at.server.exists("q"));
    CHECK(mq_client{at.time}.declare("q").empty());
    at.server.fail_declarations("q", 5);
    at.server.fail_declarations("q", 0);
    CHECK(mq_client{at.time}.declare("q").empty());
}

TEST_CASE("connections that fall, and a server that takes none") {
    const mq_rig at;
    mq_client client{at.time, "app: reads"};
    client.declare("q");
    client.consume("q");
    at.server.publish("q", "x");
    CHECK(at.server.connections() == std::vector<std::string>{"app: reads"});
    at.server.drop_connections();
    CHECK(at.server.connections().empty());
    CHECK(at.server.queued("q") == 1);
    CHECK(client.bodies() == "");
    CHECK(client.fallen);
    at.server.refuse_connections(true);
    const auto refused = client.connector().open("again");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == waybill::errc::connection);
    at.server.refuse_connections(false);
    CHECK(client.connector().open("again"));
}

TEST_CASE("a login that is refused says so, without the password") {
    const mq_rig at{mq::server_version::v4_0, {.user = "shop", .password = "tops3cret"}};
    mq::connection_settings to;
    to.hosts = {{"127.0.0.1", 5672}};
    to.password = "wr0ng";
    const auto connector = mq::the_stand_in().load()(to, at.time, false);
    const auto refused = connector->open("client");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == waybill::errc::refused);
    CHECK(refused.error().message().find("s3cret") == std::string::npos);
    CHECK(refused.error().message().find("wr0ng") == std::string::npos);
    to.user = "shop";
    to.password = "tops3cret";
    CHECK(mq::the_stand_in().load()(to, at.time, false)->open("client"));
}

TEST_CASE("a restart: what is durable stays with its bindings, what is transient goes") {
    const mq_rig at;
    mq_client client{at.time};
    const headers persistent{{":delivery_mode", 2U}};
    client.declare("kept");
    client.declare("quorum", {{"x-queue-type", "quorum"}});
    client.declare("gone", {}, false);
    client.declare_exchange("e", "fanout");
    client.bind("kept", "e", "");
    client.bind("gone", "e", "");
    at.server.publish("kept", "transient");
    at.server.publish("kept", "persistent", persistent);
    at.server.publish("quorum", "either way");
    at.server.restart();
    CHECK_FALSE(client.read());
    CHECK(client.fallen);
    CHECK(at.server.queues() == std::vector<std::string>{"kept", "quorum"});
    REQUIRE(at.server.messages("kept").size() == 1);
    CHECK(at.server.messages("kept")[0].payload == "persistent");
    CHECK(at.server.queued("quorum") == 1);
    CHECK(at.server.reached_by({"e", ""}) == std::vector<std::string>{"kept"});
}

TEST_CASE("a blocked connection is told when it publishes, and is not read until it is over") {
    const mq_rig at;
    mq_client publisher{at.time};
    mq_client reader{at.time};
    publisher.declare("q");
    CHECK(publisher->select_confirms(1));
    reader.consume("q");
    at.server.publish("q", "before");
    CHECK(reader.bodies() == "before");
    at.server.block("low on disk");
    reader.ack_all();
    CHECK(at.server.unsettled("q") == 0);
    CHECK(reader.said() == "");
    publisher.publish("", "q", "a");
    publisher.publish("", "q", "b");
    CHECK(publisher.said() == "blocked low on disk\n");
    CHECK(at.server.queued("q") + at.server.unsettled("q") == 0);
    at.server.unblock();
    CHECK(publisher.said() == "unblocked\nack 1\nack 2\n");
    CHECK(reader.bodies() == "a b");
}

TEST_CASE("what is taken out at the end: ready, in hand, and dead without a target") {
    mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.declare("waybill.wait.v1.q", {{"x-message-ttl", 1000}});
    client.consume("q", 1);
    at.server.publish("q", "in hand");
    at.server.publish("q", "ready");
    at.server.publish("waybill.wait.v1.q", "waits");
    CHECK(at.server.waiting() == 1);
    CHECK(at.server.unsettled() == 1);
    std::string all;
    at.server.drain([&](const std::string& queue, const mq::stored_message& each) {
        all.append(queue).append(": ").append(each.payload).append("; ");
    });
    CHECK(all == "q: in hand; q: ready; waybill.wait.v1.q: waits; ");
    CHECK(at.server.next_due() == std::nullopt);
    CHECK(client.bodies() == "in hand");
    client.ack_all();
    CHECK(client.said() == "");
}

TEST_CASE("the trace has a line for each method, of one connection or of all") {
    const mq_rig at;
    mq_client one{at.time, "one"};
    mq_client two{at.time, "two"};
    one.declare("q");
    one->select_confirms(1).value();
    one.publish("", "q", "x");
    one.said();
    two.consume("q", 1);
    two.bodies();
    two.ack_all();
    CHECK(at.server.trace("one") ==
          std::vector<std::string>{"client connection.open /", "client channel.open 1",
                                   "client queue.declare q", "client confirm.select",
                                   "client basic.publish q", "server basic.ack 1"});
    CHECK(at.server.trace("two") ==
          std::vector<std::string>{"client connection.open /", "client channel.open 1",
                                   "client basic.qos 1", "client basic.consume q",
                                   "server basic.deliver 1 q", "client basic.ack 1"});
    CHECK(at.server.trace().size() == 12);
}

TEST_CASE("where a server stands: by host and port, once; another handle means the same") {
    CHECK(stands_at("127.0.0.1") == nullptr);
    {
        const mq_rig at;
        const mq::fake_server same;
        at.server.publish("q", "x");
        CHECK_THROWS_AS((mq::fake_server{"amqp://guest:guest@127.0.0.1/other", {}}),
                        std::invalid_argument);
        const mq::fake_server other{"amqp://user:p%40ss@elsewhere:5999,second/v%2Fh", {}};
        CHECK(same.exists("q") == at.server.exists("q"));
        CHECK_FALSE(other.exists("q"));
        CHECK(stands_at("second") != nullptr);
        CHECK(stands_at("third") == nullptr);
    }
    auto made = stands_at("127.0.0.1", true);
    REQUIRE(made != nullptr);
    made.reset();
    CHECK(stands_at("127.0.0.1") == nullptr);
}

TEST_CASE("a server's time is that of the app that comes, from where its own was") {
    const mq::fake_server server{"amqp://127.0.0.1:5672", {}};
    const auto time = std::make_shared<waybill::manual_clock>();
    time->advance_by(1h);
    mq_client client{time};
    client.declare("q", {{"x-message-ttl", 1000}});
    server.publish("q", "x");
    CHECK(client.connector().next_due() == 1h + 1s);
    time->advance_by(1s);
    CHECK(client.connector().tick(time->now(), 1) == 1);
    CHECK(server.queued("q") == 0);
}

TEST_CASE("who may have something to read is told, whoever did it") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.consume("q");
    const auto before = client.times_told;
    at.server.publish("q", "x");
    CHECK(client.times_told == before + 1);
}

}  // namespace mq_faults_test
