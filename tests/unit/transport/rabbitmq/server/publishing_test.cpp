// What a publisher is told: confirms, returns, refusals; and what a full queue does.
#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

namespace mq_publishing_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;

struct publisher : mq_rig {
    explicit publisher(mq::server_version version = mq::server_version::v4_0,
                       mq::server_options how = {})
        : mq_rig{version, std::move(how)} {
        confirm();
    }
    void confirm() { CHECK(client->select_confirms(1)); }

    mq_client client{time};
};

TEST_CASE("a confirm each, counted from 1 on the channel; nothing without confirm.select") {
    publisher at;
    at.client.declare("q");
    at.client.publish("", "q", "a");
    at.client.publish("", "q", "b");
    CHECK(at.client.said() == "ack 1\nack 2\n");
    CHECK(at.client->open_channel(2));
    const std::string_view body = "c";
    at.client->publish(2, {"", "q", {}, std::as_bytes(std::span{body}), true});
    CHECK(at.client.said() == "");
    CHECK(at.server.queued("q") == 3);
}

TEST_CASE("what no queue takes is returned before it is confirmed, or only confirmed") {
    publisher at;
    at.client.publish("", "nowhere", "a");
    at.client.publish("", "nowhere", "b", {}, false);
    CHECK(at.client.said() == "return 312 nowhere\nack 1\nack 2\n");
}

TEST_CASE("a full queue refuses, drops its oldest, or dead-letters what it refuses") {
    const auto kept = [](std::string_view type, std::string_view overflow) {
        publisher at;
        at.client.declare("dead");
        at.client.declare("q", {{"x-queue-type", type},
                                {"x-max-length", 2},
                                {"x-overflow", overflow},
                                {"x-dead-letter-exchange", ""},
                                {"x-dead-letter-routing-key", "dead"}});
        for (const auto* each : {"a", "b", "c", "d"}) at.client.publish("", "q", each);
        std::string text;
        for (const auto& each : at.server.messages("q")) text += each.payload;
        text += '/';
        for (const auto& each : at.server.messages("dead")) text += each.payload;
        const auto said = at.client.said();
        return text + '/' + std::to_string(std::ranges::count(said, 'n'));
    };
    CHECK(kept("classic", "drop-head") == "cd/ab/0");
    CHECK(kept("classic", "reject-publish") == "ab//2");
    CHECK(kept("classic", "reject-publish-dlx") == "ab/cd/2");
    CHECK(kept("quorum", "drop-head") == "cd/ab/0");
    CHECK(kept("quorum", "reject-publish") == "abc//1");
}

TEST_CASE("a limit of bytes, and one that counts only what is ready") {
    publisher at;
    at.client.declare("q", {{"x-max-length-bytes", 5}});
    at.client.publish("", "q", "123");
    at.client.publish("", "q", "45");
    CHECK(at.server.queued("q") == 2);
    at.client.publish("", "q", "6");
    CHECK(at.server.messages("q")[0].payload == "45");
    at.client.declare("read", {{"x-max-length", 1}});
    at.client.consume("read", 2);
    for (const auto* each : {"a", "b", "c"}) at.client.publish("", "read", each);
    CHECK(at.server.unsettled("read") == 2);
    CHECK(at.server.queued("read") == 1);
}

TEST_CASE("a message above the maximum, and who it says it is from, close the channel") {
    publisher at{mq::server_version::v4_0, {.most_message_bytes = 4}};
    at.client.declare("q");
    at.client.publish("", "q", "1234");
    at.client.publish("", "q", "12345");
    CHECK(at.client.said() ==
          "ack 1\nclosed 406 PRECONDITION_FAILED - message size 5 is larger "
          "than configured max size 4\n");
    CHECK(at.client->open_channel(1));
    at.client.publish("", "q", "x", {{":user_id", "guest"}});
    at.client.publish("", "q", "x", {{":user_id", "bob"}});
    CHECK(at.client.said() ==
          "closed 406 PRECONDITION_FAILED - user_id property set to 'bob' but "
          "authenticated user was 'guest'\n");
    CHECK(at.client->open_channel(1));
    at.client.publish("", "q", "x", {{":expiration", "soon"}});
    CHECK(at.client.said() ==
          "closed 406 PRECONDITION_FAILED - invalid expiration 'soon': no_integer\n");
}

TEST_CASE("confirms by chance: each publish is confirmed once, out of order and by several") {
    publisher at;
    at.client.declare("q");
    at.server.confirm_order(7);
    bool was_out_of_order = false;
    bool was_multiple = false;
    std::set<std::uint64_t> open;
    std::uint64_t next = 1;
    for (int round = 0; round < 50; ++round) {
        for (int each = 0; each < 8; ++each) {
            at.client.publish("", "q", "x");
            open.insert(next++);
        }
        std::istringstream lines{at.client.said()};
        std::uint64_t before = 0;
        for (std::string line; std::getline(lines, line);) {
            const auto tag = std::stoull(line.substr(4));
            was_out_of_order = was_out_of_order || tag < before;
            before = tag;
            REQUIRE(open.contains(tag));
            if (line.ends_with("multiple")) {
                was_multiple = true;
                open.erase(open.begin(), open.upper_bound(tag));
            } else {
                open.erase(tag);
            }
        }
        REQUIRE(open.empty());
    }
    CHECK(was_out_of_order);
    CHECK(was_multiple);
}

headers arrived(mq::server_version version, const headers& published) {
    publisher at{version};
    at.client.declare("q");
    at.client.consume("q");
    at.client.publish("", "q", "x", published);
    CHECK(at.client.bodies() == "x");
    return at.client.last.at(0).with;
}

headers of_every_kind() {
    headers all{{":content_type", "text/plain"}, {":delivery_mode", 2U}, {"z", nullptr}};
    all.append("i16", as(mq::wire_type::i16, waybill::header_value{-3}));
    all.append("a", as(mq::wire_type::timestamp, waybill::header_value{5U}));
    all.append("Z", true);
    all.append("a", 1.5);
    return all;
}

TEST_CASE("3.10 hands properties and headers on as they are") {
    CHECK(arrived(mq::server_version::v3_10, of_every_kind()) == of_every_kind());
}

TEST_CASE("from 4.0 on they come by name, and of several of one name only the first") {
    headers sorted{{":content_type", "text/plain"}, {":delivery_mode", 2U}, {"Z", true}};
    sorted.append("a", as(mq::wire_type::timestamp, waybill::header_value{5U}));
    sorted.append("i16", as(mq::wire_type::i16, waybill::header_value{-3}));
    sorted.append("z", nullptr);
    CHECK(arrived(mq::server_version::v4_0, of_every_kind()) == sorted);
}

TEST_CASE("from outside: how many queues took it, and what no app may publish is an error") {
    publisher at;
    at.client.declare("q", {{"x-max-length", 1}, {"x-overflow", "reject-publish"}});
    CHECK(at.server.publish("q", "a") == 1);
    CHECK(at.server.publish("q", "b") == 0);
    CHECK(at.server.publish("nowhere", "b") == 0);
    CHECK_THROWS_AS(at.server.publish({"nope", "key"}, "b"), std::invalid_argument);
}

}  // namespace mq_publishing_test
