// The server's own dead letters: where they go, what they say, what is dropped.
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/server/deaths.hpp"
#include "transport/rabbitmq/server/table.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mq_dead_letters_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;
namespace fake = waybill::rabbitmq::fake;
using mq::server_version;

const headers to_dead{{"x-dead-letter-exchange", ""}, {"x-dead-letter-routing-key", "dead"}};

headers with(const headers& one, const headers& other) {
    auto all = one;
    for (const auto& each : other) all.append(each.name, each.value);
    return all;
}

/// "queue reason count [keys] original-expiration" of each entry.
std::string deaths_in(const headers& all) {
    std::string text;
    const auto found = all.find("x-death");
    if (!found || found->wire_type() != static_cast<int>(mq::wire_type::array)) return "none";
    for (const auto& entry : fake::fields_of_array(*found->bytes())) {
        std::string queue;
        std::string reason;
        std::string count;
        std::string keys;
        std::string expiration;
        for (const auto& each : fake::fields_of_table(entry.value)) {
            if (each.name == "queue") queue = *each.text();
            if (each.name == "reason") reason = *each.text();
            if (each.name == "count") count = std::to_string(*each.integer());
            if (each.name == "original-expiration") expiration = ' ' + *each.text();
            if (each.name == "routing-keys")
                for (const auto& key : fake::texts_of_array(each.value)) keys += '[' + key + ']';
        }
        text.append(queue).append(" ").append(reason).append(" ").append(count);
        text.append(" ").append(keys).append(expiration).append("; ");
    }
    return text;
}

headers only_message(const mq_rig& at, std::string_view queue) {
    const auto all = at.server.messages(queue);
    REQUIRE(all.size() == 1);
    return all[0].with;
}

TEST_CASE("a message that expires goes on with the record of it, and without its expiration") {
    mq_rig at;
    mq_client client{at.time};
    client.declare("dead");
    client.declare("q", with(to_dead, {{"x-message-ttl", 1000}}));
    at.server.publish("q", "x", {{":expiration", "5000"}, {"mine", 1}});
    at.advance(999ms);
    CHECK(at.server.queued("q") == 1);
    CHECK(at.server.next_due() == 1s);
    at.advance(1ms);
    CHECK(at.server.queued("q") == 0);
    const auto dead = only_message(at, "dead");
    CHECK(deaths_in(dead) == "q expired 1 [q] 5000; ");
    CHECK_FALSE(dead.contains(":expiration"));
    CHECK(dead.text("x-first-death-queue") == "q");
    CHECK(dead.text("x-last-death-reason") == "expired");
    CHECK(dead.text("x-first-death-exchange") == "");
    CHECK(dead.find("mine")->integer() == 1);
}

TEST_CASE("only the head of a queue expires: a short life waits behind a long one") {
    mq_rig at;
    mq_client client{at.time};
    client.declare("dead");
    client.declare("q", to_dead);
    at.server.publish("q", "long", {{":expiration", "60000"}});
    at.server.publish("q", "short", {{":expiration", "10000"}});
    at.advance(30s);
    CHECK(at.server.queued("dead") == 0);
    at.advance(30s);
    CHECK(at.server.queued("dead") == 2);
    CHECK(at.server.messages("dead")[0].payload == "long");
}

/// Rejected, waits, comes back, twice round; what a client wrote into x-death stands before.
std::string round_twice(server_version version, const headers& published) {
    mq_rig at{version};
    mq_client client{at.time};
    client.declare("work", {{"x-dead-letter-exchange", ""}, {"x-dead-letter-routing-key", "wait"}});
    client.declare("wait", {{"x-message-ttl", 300},
                            {"x-dead-letter-exchange", ""},
                            {"x-dead-letter-routing-key", "work"}});
    client.consume("work", 1);
    at.server.publish("work", "x", published);
    for (int round = 0; round < 2; ++round) {
        CHECK_FALSE(client.bodies().empty());
        client->reject(1, client.last[0].tag, false);
        at.advance(300ms);
    }
    CHECK_FALSE(client.bodies().empty());
    const auto& last = client.last[0].with;
    return deaths_in(last) + last.text("x-first-death-queue").value_or("-").data();
}

TEST_CASE("one entry for each queue and reason, the newest first, with its count") {
    for (const auto version : {server_version::v3_10, server_version::v4_0}) {
        CHECK(round_twice(version, {}) == "wait expired 2 [wait]; work rejected 2 [work]; work");
    }
}

TEST_CASE("a client's x-death is taken up by 3.10, and is nothing from 4.0 on") {
    fake::field_writer entry;
    entry.integer("count", 7).text("queue", "work").text("reason", "rejected");
    fake::field_writer array;
    array.table(entry);
    headers published;
    published.append("x-death", as(mq::wire_type::array, waybill::header_value{array.bytes()}));
    CHECK(round_twice(server_version::v3_10, published) ==
          "wait expired 2 [wait]; work rejected 9 ; -");
    CHECK(round_twice(server_version::v4_0, published) ==
          "wait expired 2 [wait]; work rejected 2 [work]; work");
    CHECK(round_twice(server_version::v3_10, {{"x-death", "text"}})
              .starts_with("wait expired 2 [wait]; work rejected 2 [work]"));
}

TEST_CASE("a key of the queue's own takes CC along; without one its keys stay") {
    for (const auto version : {server_version::v3_10, server_version::v4_0}) {
        mq_rig at{version};
        mq_client client{at.time};
        for (const auto* each : {"dead", "cc"}) client.declare(each);
        client.declare("q", with(to_dead, {{"x-message-ttl", 300}}));
        fake::field_writer cc;
        cc.text("cc");
        headers published;
        published.append("CC", as(mq::wire_type::array, waybill::header_value{cc.bytes()}));
        CHECK(at.server.publish("q", "x", published) == 2);
        at.advance(300ms);
        CHECK(at.server.queued("cc") == 1);
        const auto dead = only_message(at, "dead");
        CHECK(deaths_in(dead) == "q expired 1 [q][cc]; ");
        CHECK(dead.contains("CC") == (version != server_version::v3_10));
    }
}

TEST_CASE("what comes back to a queue by itself is dropped") {
    mq_rig at;
    mq_client client{at.time};
    client.declare("round", {{"x-message-ttl", 200},
                             {"x-dead-letter-exchange", ""},
                             {"x-dead-letter-routing-key", "round"}});
    std::vector<std::string> gone;
    at.server.watch_removals([&](const mq::removal& each) {
        gone.push_back(std::string{each.queue} + ' ' + std::string{each.reason});
    });
    at.server.publish("round", "x");
    at.advance(200ms);
    CHECK(at.server.queued("round") == 0);
    CHECK(gone == std::vector<std::string>{"round cycle"});
}

TEST_CASE("a dead letter without a place is lost, and so is one without a target") {
    mq_rig at;
    mq_client client{at.time};
    std::vector<std::string> gone;
    at.server.watch_removals([&](const mq::removal& each) {
        gone.push_back(std::string{each.queue} + ' ' + std::string{each.reason});
    });
    client.declare("none", {{"x-message-ttl", 10}});
    client.declare("missing", {{"x-message-ttl", 20}, {"x-dead-letter-exchange", "nope"}});
    at.server.publish("none", "x");
    at.server.publish("missing", "x");
    at.advance(20ms);
    CHECK(gone == std::vector<std::string>{"none expired", "missing unroutable"});
}

const headers vouching{{"x-queue-type", "quorum"},
                       {"x-message-ttl", 1000},
                       {"x-dead-letter-strategy", "at-least-once"},
                       {"x-overflow", "reject-publish"}};

TEST_CASE("at least once: the dead stay until their target is there") {
    mq_rig at;
    mq_client client{at.time};
    client.declare("q", with(to_dead, vouching));
    at.server.publish("q", "x");
    at.advance(1s);
    CHECK(at.server.queued("q") == 0);
    client.declare("dead");
    at.advance(3min);
    CHECK(at.server.queued("dead") == 1);
    CHECK(deaths_in(only_message(at, "dead")) == "q expired 1 [q]; ");
}

TEST_CASE("at least once: a target that refuses gets it later, those that took it only once") {
    mq_rig at;
    mq_client client{at.time};
    client.declare_exchange("both", "fanout");
    client.declare("free");
    client.declare("full", {{"x-max-length", 1}, {"x-overflow", "reject-publish"}});
    client.bind("free", "both", "");
    client.bind("full", "both", "");
    client.declare("q", with({{"x-dead-letter-exchange", "both"}}, vouching));
    at.server.publish("full", "in the way");
    at.server.publish("q", "x");
    at.advance(1s);
    CHECK(at.server.queued("free") == 1);
    at.server.drain("full",
                    [](const mq::stored_message& each) { CHECK(each.payload == "in the way"); });
    at.advance(3min);
    CHECK(at.server.queued("free") == 1);
    CHECK(at.server.queued("full") == 1);
    CHECK(at.server.next_due() == std::nullopt);
}

TEST_CASE(
    "an expired queue is deleted with what it holds, and a declaration begins its time anew") {
    mq_rig at;
    mq_client client{at.time};
    const headers arguments = with(to_dead, {{"x-expires", 1000}});
    client.declare("dead");
    client.declare("q", arguments);
    at.server.publish("q", "x");
    at.advance(900ms);
    CHECK(client->declare(1, mq::queue_spec{"q", true, false, false, {}}, true));
    at.advance(900ms);
    CHECK(at.server.exists("q"));
    at.advance(100ms);
    CHECK_FALSE(at.server.exists("q"));
    CHECK(at.server.queued("dead") == 0);
    client.declare("read", arguments);
    client.consume("read");
    at.advance(10s);
    CHECK(at.server.exists("read"));
    at.server.drop_connections();
    at.advance(1s);
    CHECK_FALSE(at.server.exists("read"));
}

}  // namespace mq_dead_letters_test
