#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"
#include "transport/rabbitmq/topic.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace live;
using waybill::rabbitmq::exchange;
using waybill::rabbitmq::queue;

namespace {

waybill::outcome always_ack(const call&, waybill::context&) { return waybill::ack(); }

/// Why it does not start; "" when it does.
std::string refusal(service& one) {
    try {
        one.start();
    } catch (const std::runtime_error& why) {
        return why.what();
    }
    return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

bool arrives(service& one, const std::string& name, std::size_t count) {
    return eventually([&] { return one.count(name) == count; });
}

}  // namespace

TEST_CASE("the server counts the words of a key as topic_matches does") {
    plain_client client;
    client.make_exchange("topology.words", "topic");
    const std::vector<std::string> patterns{"*", "#", "a.*", "a"};
    const std::vector<std::string> keys{"", ".", "a", "a."};
    for (const auto& pattern : patterns) {
        client.make_queue("topology.words " + pattern);
        client.bind("topology.words " + pattern, "topology.words", pattern);
    }
    for (const auto& key : keys) client.publish("topology.words", key, key);
    client.confirm();
    for (const auto& pattern : patterns) {
        std::vector<std::string> expected;
        std::vector<std::string> came;
        for (const auto& key : keys) {
            if (waybill::rabbitmq::topic_matches(pattern, key)) expected.push_back(key);
        }
        for (const auto& each : client.drain("topology.words " + pattern)) {
            came.push_back(each.body);
        }
        CAPTURE(pattern);
        CHECK(came == expected);
        client.delete_queue("topology.words " + pattern);
    }
    client.delete_exchange("topology.words");
}

TEST_CASE("what exists otherwise is refused by its name, the argument and both values") {
    plain_client client;
    const std::string name = "topology.mismatch";
    client.make_queue(name, {{"x-max-length", 5}});
    service reads;
    reads.subscribe(queue{name}.max_length(7), always_ack);
    const auto why = refusal(reads);
    for (const auto* part : {"topology.mismatch", "x-max-length", "'7'", "'5'", "passive()"}) {
        CHECK_MESSAGE(has(why, part), why);
    }
}

TEST_CASE("a queue of another type is refused by its name and both types") {
    plain_client client;
    const std::string name = "topology.type";
    client.make_queue(name);
    service reads;
    reads.subscribe(queue{name}.quorum(), always_ack);
    const auto why = refusal(reads);
    for (const auto* part : {"topology.type", "x-queue-type", "quorum"}) {
        CHECK_MESSAGE(has(why, part), why);
    }
}

TEST_CASE("an exchange of another type is refused by its name and both types") {
    plain_client client;
    client.make_exchange("topology.exchange", "fanout");
    service reads;
    reads.config().declare(exchange::topic("topology.exchange"));
    reads.subscribe(queue{"topology.any"}, always_ack);
    const auto why = refusal(reads);
    for (const auto* part : {"topology.exchange", "type", "topic", "fanout"}) {
        CHECK_MESSAGE(has(why, part), why);
    }
}

TEST_CASE("passive and declared elsewhere take what exists, and need it") {
    plain_client client;
    const std::string name = "topology.passive";
    for (const bool elsewhere : {false, true}) {
        const auto from = [&] {
            queue made{name};
            return elsewhere ? made.declared_elsewhere() : made.passive();
        };
        client.delete_queue(name);
        {
            service reads;
            reads.subscribe(from(), always_ack);
            const auto why = refusal(reads);
            CHECK_MESSAGE(has(why, name), why);
            CHECK_MESSAGE(has(why, "does not exist"), why);
        }
        client.make_queue(name, {{"x-max-length", 50}});
        service reads;
        reads.subscribe(from(), always_ack);
        CHECK(refusal(reads).empty());
        client.fill(name, 2);
        CHECK(arrives(reads, name, 2));
        CHECK(reads.stop());
    }
}

TEST_CASE("somebody else's stream is refused before it is read, and nothing is made to find out") {
    plain_client client;
    const std::map<std::string, std::vector<argument>> streams{
        {"topology.stream", {{"x-queue-type", "stream"}}},
        {"topology.stream " + std::string(200, 'l'), {{"x-queue-type", "stream"}}},
        {"topology.stream aged", {{"x-queue-type", "stream"}, {"x-max-age", "7D"}}},
        {"topology.stream sized",
         {{"x-queue-type", "stream"}, {"x-max-length-bytes", std::int64_t{100'000'000}}}},
        {"topology.stream large",
         {{"x-queue-type", "stream"}, {"x-max-length-bytes", std::int64_t{50'000'000'000}}}}};
    for (const auto& [name, arguments] : streams) {
        client.make_queue(name, arguments);
        for (const bool elsewhere : {false, true}) {
            queue made{name};
            service reads;
            reads.subscribe(elsewhere ? made.declared_elsewhere() : made.passive(), always_ack);
            const auto why = refusal(reads);
            CHECK_MESSAGE(has(why, name), why);
            CHECK_MESSAGE(has(why, "a stream gives nothing back"), why);
        }
        client.delete_queue(name);
    }
    CHECK_FALSE(client.exists("topology.stream"));
}

TEST_CASE("exchanges route by topic, by headers, to each other, and what is left elsewhere") {
    plain_client client;
    for (const auto* each : {"topology.topic", "topology.headers", "topology.rest"}) {
        client.delete_exchange(each);
    }
    for (const auto* each : {"topology.red", "topology.left"}) client.delete_queue(each);
    service reads;
    reads.config()
        .declare(exchange::topic("topology.topic").alternate("topology.rest"))
        .declare(exchange::headers("topology.headers").bind("topology.topic", "clicks.#"))
        .declare(exchange::fanout("topology.rest"));
    waybill::headers red;
    red.append("x-match", "all").append("colour", "red");
    reads.subscribe(queue{"topology.red"}.bind("topology.headers", "", red), always_ack);
    reads.subscribe(queue{"topology.left"}.bind("topology.rest", ""), always_ack);
    reads.start();
    amqp_table_entry_t entry{};
    entry.key = amqp_cstring_bytes("colour");
    entry.value.kind = AMQP_FIELD_KIND_UTF8;
    entry.value.value.bytes = amqp_cstring_bytes("red");
    auto with = persistent();
    with._flags |= AMQP_BASIC_HEADERS_FLAG;
    with.headers = {1, &entry};
    client.publish("topology.topic", "clicks.left.red", "red", &with);
    client.publish("topology.topic", "clicks.left", "of no colour");
    client.publish("topology.topic", "moves", "something else");
    client.confirm();
    CHECK(arrives(reads, "topology.red", 1));
    CHECK(arrives(reads, "topology.left", 1));
    CHECK(reads.stop());
    CHECK(reads.calls("topology.red").front().body == "red");
    CHECK(reads.calls("topology.left").front().body == "something else");
}
