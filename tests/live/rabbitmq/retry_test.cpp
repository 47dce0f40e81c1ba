#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;
using waybill::rabbitmq::queue_type;

namespace {

constexpr queue_type both[] = {queue_type::classic, queue_type::quorum};

std::string name_for(std::string_view test, queue_type type) {
    return "retry." + std::string{test} + (type == queue_type::quorum ? ".quorum" : ".classic");
}

/// A queue of that type, empty, and with it its dead letter.
queue fresh(plain_client& client, const std::string& name, queue_type type) {
    client.delete_queue(name);
    client.delete_queue(name + ".dead");
    return std::move(queue{name}.type(type));
}

bool is_empty(plain_client& client, const std::string& name) { return client.ready(name) == 0; }

}  // namespace

TEST_CASE("a retry comes again with the next attempt, and nothing is left behind") {
    for (const auto type : both) {
        plain_client client;
        const auto name = name_for("plain", type);
        service reads;
        reads
            .subscribe(fresh(client, name, type),
                       [](const call& seen, waybill::context&) {
                           return seen.attempt < 3 ? waybill::retry() : waybill::ack();
                       })
            .max_attempts(5)
            .dead_letter(name + ".dead");
        reads.start();
        client.fill(name, 20);
        REQUIRE(eventually([&] { return reads.count(name) == 60; }));
        CHECK(reads.stop());
        for (const auto& [body, count] : reads.by_body(name)) CHECK_MESSAGE(count == 3, body);
        CHECK(is_empty(client, name));
        CHECK(is_empty(client, name + ".dead"));
    }
}

TEST_CASE("without a cap a retry comes again too") {
    for (const auto type : both) {
        plain_client client;
        const auto name = name_for("capless", type);
        service reads;
        std::atomic<int> runs{0};
        reads.subscribe(fresh(client, name, type), [&](const call&, waybill::context&) {
            return ++runs < 3 ? waybill::retry() : waybill::ack();
        });
        reads.start();
        client.fill(name, 1);
        REQUIRE(eventually([&] { return runs == 3; }));
        CHECK(reads.stop());
        CHECK(is_empty(client, name));
        CHECK(reads.calls(name).back().redelivered);
    }
}

TEST_CASE("a count that the publisher wrote is no attempt, also of what a stop gave back") {
    for (const auto type : both) {
        plain_client client;
        const auto name = name_for("own_count", type);
        const auto from = fresh(client, name, type);
        std::atomic<bool> goes_on{false};
        service first;
        first.subscribe(from, [&](const call&, waybill::context&) {
            while (!goes_on) std::this_thread::sleep_for(5ms);
            return waybill::ack();
        });
        first.start();
        client.fill(name, 1);
        REQUIRE(eventually([&] { return first.count(name) == 1; }));
        amqp_table_entry_t own[2] = {};
        own[0].key = amqp_cstring_bytes("x-delivery-count");
        own[1].key = amqp_cstring_bytes("x-acquired-count");
        for (auto& each : own) {
            each.value.kind = AMQP_FIELD_KIND_I64;
            each.value.value.i64 = 9;
        }
        auto with = persistent();
        with._flags |= AMQP_BASIC_HEADERS_FLAG;
        with.headers = {2, own};
        client.publish("", name, "own", &with);
        client.confirm();
        // In hand, and taken by no lane.
        REQUIRE(eventually([&] { return client.ready(name) == 0; }));
        std::thread stops{[&] { CHECK(first.stop()); }};
        CHECK(eventually([&] { return client.ready(name) == 1; }));
        goes_on = true;
        stops.join();
        service second;
        second.subscribe(from, [](const call&, waybill::context&) { return waybill::ack(); })
            .max_attempts(5)
            .dead_letter(name + ".dead");
        second.start();
        REQUIRE(eventually([&] { return is_empty(client, name) && second.count(name) == 1; }));
        CHECK(second.calls(name).front().attempt == 1);
        CHECK(second.calls(name).front().redelivered);
        CHECK(second.stop());
        CHECK(is_empty(client, name + ".dead"));
    }
}

TEST_CASE("what has had its attempts goes to the dead letter, with why") {
    for (const auto type : both) {
        plain_client client;
        const auto name = name_for("cap", type);
        service reads;
        reads
            .subscribe(fresh(client, name, type),
                       [](const call&, waybill::context&) { return waybill::retry(); })
            .max_attempts(5)
            .dead_letter(name + ".dead");
        reads.start();
        client.fill(name, 10);
        REQUIRE(eventually([&] { return client.ready(name + ".dead") == 10; }));
        CHECK(reads.stop());
        CHECK(reads.count(name) == 50);
        CHECK(is_empty(client, name));
        for (const auto& each : client.drain(name + ".dead")) {
            CHECK(each.text("waybill-dead-reason") == "attempts");
            CHECK(each.text("waybill-dead-source") == name);
            CHECK(each.text("waybill-dead-attempts") == "5");
            CHECK(each.text("waybill-retry-count") == "5");
            CHECK(each.text("waybill-dead-count") == "1");
            CHECK(each.header("waybill-retry-source").empty());
        }
    }
}

TEST_CASE("a dead letter may be an exchange with a key") {
    plain_client client;
    const std::string name = "retry.to-exchange";
    client.make_exchange("retry.dead", "topic");
    client.make_queue("retry.dead.kept");
    client.bind("retry.dead.kept", "retry.dead", "of.*");
    service reads;
    reads
        .subscribe(fresh(client, name, queue_type::classic),
                   [](const call&, waybill::context&) { return waybill::retry(); })
        .max_attempts(1)
        .dead_letter(waybill::rabbitmq::exchange_key("retry.dead", "of.clicks"));
    reads.start();
    client.fill(name, 3);
    REQUIRE(eventually([&] { return client.ready("retry.dead.kept") == 3; }));
    CHECK(reads.stop());
    const auto dead = client.drain("retry.dead.kept");
    CHECK(dead.front().key == "of.clicks");
    CHECK(dead.front().exchange == "retry.dead");
}

TEST_CASE("a drop leaves nothing; asked for, it goes to the server's own dead letter") {
    for (const auto type : both) {
        plain_client client;
        const auto name = name_for("drop", type);
        const auto kept = name + ".kept";
        client.make_queue(kept);
        for (const bool asks_server : {false, true}) {
            auto from = fresh(client, name, type);
            from.server_dead_letter("", kept);
            service reads;
            auto& one = reads.subscribe(
                from, [](const call&, waybill::context&) { return waybill::drop(); });
            if (asks_server) one.drop_to_broker();
            reads.start();
            client.fill(name, 5);
            REQUIRE(eventually([&] { return reads.count(name) == 5; }));
            CHECK(reads.stop());
            CHECK(is_empty(client, name));
            REQUIRE(eventually([&] { return client.ready(kept) == (asks_server ? 5 : 0); }));
        }
    }
}

TEST_CASE("a cap without a dead letter rejects: the server's own policy takes it") {
    for (const auto type : both) {
        plain_client client;
        const auto name = name_for("rejects", type);
        const auto kept = name + ".kept";
        client.make_queue(kept);
        auto from = fresh(client, name, type);
        from.server_dead_letter("", kept);
        service reads;
        reads.subscribe(from, [](const call&, waybill::context&) { return waybill::retry(); })
            .max_attempts(2);
        reads.start();
        client.fill(name, 4);
        REQUIRE(eventually([&] { return client.ready(kept) == 4; }));
        CHECK(reads.stop());
        CHECK(reads.count(name) == 8);
        for (const auto& each : client.drain(kept)) {
            CHECK(each.text("x-first-death-reason") == "rejected");
        }
    }
}

TEST_CASE("a foreign copy has one attempt, then it is dead") {
    plain_client client;
    const auto name = name_for("foreign", queue_type::classic);
    service reads;
    reads
        .subscribe(fresh(client, name, queue_type::classic),
                   [](const call&, waybill::context&) { return waybill::retry(); })
        .max_attempts(5)
        .dead_letter(name + ".dead");
    reads.start();
    amqp_table_entry_t entries[2]{};
    const std::pair<const char*, const char*> said[] = {{"waybill-retry-count", "2"},
                                                        {"waybill-retry-source", "another"}};
    for (int at = 0; at < 2; ++at) {
        entries[at].key = amqp_cstring_bytes(said[at].first);
        entries[at].value.kind = AMQP_FIELD_KIND_UTF8;
        entries[at].value.value.bytes = amqp_cstring_bytes(said[at].second);
    }
    auto with = persistent();
    with._flags |= AMQP_BASIC_HEADERS_FLAG;
    with.headers = {2, entries};
    client.publish("", name, "theirs", &with);
    client.confirm();
    REQUIRE(eventually([&] { return client.ready(name + ".dead") == 1; }));
    CHECK(reads.stop());
    CHECK(reads.count(name) == 1);
    CHECK(client.get(name + ".dead")->text("waybill-dead-reason") == "foreign_copy");
}
