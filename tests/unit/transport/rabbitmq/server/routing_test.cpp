// Which queues a message comes to.
#include "rabbitmq_client.hpp"
#include "topic_patterns.hpp"
#include "transport/rabbitmq/server/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mq_routing_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;
using names = std::vector<std::string>;

TEST_CASE("B190: topic patterns: * is one word, # any number of them") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare_exchange("t", "topic");
    for (const auto& each : support::topic_patterns) {
        client.declare(each.pattern);
        CHECK(client.bind(each.pattern, "t", each.pattern) == "");
    }
    for (const auto& each : support::topic_patterns) {
        CAPTURE(std::string{each.pattern});
        CAPTURE(std::string{each.key});
        CHECK((std::ranges::count(at.server.reached_by({"t", each.key}), each.pattern) == 1) ==
              each.matches);
    }
}

TEST_CASE("the default exchange is a queue's name, and is bound to nothing else") {
    const mq_rig at;
    mq_client client{at.time};
    CHECK(client.declare("orders") == "");
    CHECK(at.server.reached_by("orders") == names{"orders"});
    CHECK(at.server.reached_by("others").empty());
    CHECK(client.bind("orders", "", "key") ==
          "403 ACCESS_REFUSED - operation not permitted on the default exchange");
}

TEST_CASE("direct, fanout and topic exchanges, each queue once") {
    const mq_rig at;
    mq_client client{at.time};
    for (const auto* type : {"direct", "fanout", "topic"}) {
        CHECK(client.declare_exchange(type, type) == "");
        CHECK(client.declare(std::string{"of "} + type) == "");
        CHECK(client.bind(std::string{"of "} + type, type, "a.*") == "");
        CHECK(client.bind(std::string{"of "} + type, type, "a.#") == "");
    }
    CHECK(at.server.reached_by({"direct", "a.b"}).empty());
    CHECK(at.server.reached_by({"direct", "a.*"}) == names{"of direct"});
    CHECK(at.server.reached_by({"fanout", "any"}) == names{"of fanout"});
    CHECK(at.server.reached_by({"topic", "a.b"}) == names{"of topic"});
    CHECK(at.server.reached_by({"topic", "b"}).empty());
}

TEST_CASE("a headers exchange, by x-match") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare_exchange("h", "headers");
    const auto bound = [&](const char* queue, const headers& by) {
        client.declare(queue);
        CHECK(client.bind(queue, "h", "", by) == "");
    };
    bound("all", {{"a", 1}, {"b", "x"}});
    bound("any", {{"x-match", "any"}, {"a", 1}, {"b", "x"}});
    bound("with x", {{"x-match", "all-with-x"}, {"x-a", 1}});
    bound("present", {{"x-match", "any"}, {"c", nullptr}});
    CHECK(at.server.reached_by({"h", ""}, {{"a", 1}, {"b", "x"}}) == names{"all", "any"});
    CHECK(at.server.reached_by({"h", ""}, {{"a", 1U}}) == names{"any"});
    CHECK(at.server.reached_by({"h", ""}, {{"x-a", 1}}) == names{"with x"});
    CHECK(at.server.reached_by({"h", ""}, {{"c", "whatever"}}) == names{"present"});
    CHECK(at.server.reached_by({"h", ""}, {{"A", 1}}).empty());
}

TEST_CASE("exchanges bound to exchanges, in a circle too, and an alternate exchange") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare_exchange("in", "topic", {{"alternate-exchange", "rest"}});
    client.declare_exchange("out", "fanout");
    client.declare_exchange("rest", "fanout");
    client.declare("q");
    client.declare("leftovers");
    client.bind("q", "out", "");
    client.bind("leftovers", "rest", "");
    CHECK(mq_client::text(client->bind_exchange(1, "out", "in", "a.#", {})) == "");
    CHECK(mq_client::text(client->bind_exchange(1, "in", "out", "", {})) == "");
    CHECK(at.server.reached_by({"in", "a.b"}) == names{"q"});
    CHECK(at.server.reached_by({"in", "b"}) == names{"leftovers"});
}

TEST_CASE("an internal exchange takes nothing from publishers") {
    const mq_rig at;
    mq_client client{at.time};
    (void)client->declare(1, mq::exchange_spec{"inner", "fanout", true, false, true, {}}, false);
    client.publish("inner", "", "x");
    CHECK(client.said() ==
          "closed 403 ACCESS_REFUSED - cannot publish to internal exchange "
          "'inner' in vhost '/'\n");
}

TEST_CASE("CC and BCC are further keys; BCC does not arrive") {
    const mq_rig at;
    mq_client client{at.time};
    for (const auto* each : {"a", "b", "c"}) client.declare(each);
    mq::fake::field_writer cc;
    mq::fake::field_writer bcc;
    cc.text("b");
    bcc.text("c");
    headers with;
    with.append("CC", as(mq::wire_type::array, waybill::header_value{cc.bytes()}));
    with.append("BCC", as(mq::wire_type::array, waybill::header_value{bcc.bytes()}));
    CHECK(at.server.publish("a", "x", with) == 3);
    const auto arrived = at.server.messages("c");
    REQUIRE(arrived.size() == 1);
    CHECK(arrived[0].with.contains("CC"));
    CHECK_FALSE(arrived[0].with.contains("BCC"));
    CHECK(arrived[0].key == "a");
}

TEST_CASE("a deleted exchange is gone with its bindings, and publishing there closes the channel") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.declare_exchange("outer", "fanout");
    client.declare_exchange("inner", "fanout");
    client.bind("q", "inner", "");
    CHECK(client->bind_exchange(1, "inner", "outer", "", {}));
    CHECK(at.server.reached_by({"outer", ""}) == names{"q"});
    CHECK(at.server.delete_exchange("inner"));
    CHECK(at.server.reached_by({"outer", ""}).empty());
    CHECK(at.server.exists("q"));
    CHECK_FALSE(at.server.delete_exchange("inner"));
    CHECK_FALSE(at.server.delete_exchange("amq.topic"));
    CHECK_FALSE(at.server.delete_exchange(""));
    client.declare_exchange("inner", "fanout");
    CHECK(at.server.reached_by({"inner", ""}).empty());
    CHECK(at.server.delete_exchange("inner"));
    client.publish("inner", "", "x");
    CHECK(client.said() == "closed 404 NOT_FOUND - no exchange 'inner' in vhost '/'\n");
}

TEST_CASE("vhosts know nothing of each other") {
    const mq_rig at;
    mq_client client{at.time};
    mq_client other{at.time, "other", "elsewhere"};
    client.declare("q");
    CHECK(mq_client::text(other->declare(1, mq::queue_spec{"q", true, false, false, {}}, true)) ==
          "404 NOT_FOUND - no queue 'q' in vhost 'elsewhere'");
}

}  // namespace mq_routing_test
