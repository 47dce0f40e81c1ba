// Faults that users of other frameworks and clients reported of RabbitMQ, on real servers.
#include "faults/proxy/proxy.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"
#include "support/topic_patterns.hpp"
#include "wire_rig.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace live;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

namespace live::report_tests {

namespace rabbitmq = waybill::rabbitmq;
using rabbitmq::as;
using rabbitmq::queue;
using rabbitmq::queue_type;
using rabbitmq::wire_type;
using rabbitmq::wire_type_of;
using waybill::header_value;
using waybill::headers;

constexpr queue_type both_types[] = {queue_type::classic, queue_type::quorum};

/// Publishes with headers of any type, confirmed.
class sender {
public:
    sender() : on_{wire_rig::opened()} {
        REQUIRE(on_->open_channel(1).has_value());
        REQUIRE(on_->select_confirms(1).has_value());
    }
    ~sender() { on_->close(); }

    void send(std::string_view exchange, std::string_view key, std::string_view body,
              const headers& with = {}) {
        headers all = with;
        all.append(rabbitmq::property::delivery_mode, 2U);
        const auto bytes = wire_rig::as_bytes(body);
        REQUIRE(on_->publish(1, {exchange, key, all.packed(), bytes, false}).has_value());
        ++sent_;
        wire_rig::until(*on_, seen_, [&] { return seen_.settled == sent_; });
        REQUIRE(seen_.told.back().starts_with("ack "));
    }

private:
    std::unique_ptr<rabbitmq::wire> on_;
    wire_rig::witness seen_;
    std::uint64_t sent_ = 0;
};

/// A service through a proxy that counts, on an empty queue with the dead letter `.dead`.
struct tried {
    tried(const std::string& called, queue_type type, int cap, service::answer does,
          const std::function<void(queue&)>& change = {})
        : name{called + (type == queue_type::quorum ? ".quorum" : ".classic")},
          between{server_port()},
          reads{server_url(between.port())} {
        for (const auto* each : {"", ".dead"}) client.delete_queue(name + each);
        queue from{name};
        from.type(type);
        if (change) change(from);
        reads.subscribe(from, std::move(does)).max_attempts(cap).dead_letter(name + ".dead");
        reads.start();
        closed_ = closed();
    }
    bool is_dead(std::size_t count) {
        return eventually([&] { return client.ready(name + ".dead") == count; });
    }
    /// Neither connection has fallen, and no channel was closed since the start, which asks for
    /// what may not be there.
    void check_undisturbed() const {
        CHECK_MESSAGE(between.accepted() == 2, reads.log());
        CHECK(closed() == closed_);
        CHECK(between.seen(faults::side::server, "connection.close") == 0);
    }

    std::string name;
    plain_client client;
    faults::proxy between;
    service reads;

private:
    [[nodiscard]] std::uint64_t closed() const {
        return between.seen(faults::side::server, "channel.close");
    }

    std::uint64_t closed_ = 0;
};

service::answer always(waybill::outcome answer) {
    return [answer](const call&, waybill::context&) { return answer; };
}

header_value array(std::string_view values) {
    return as(wire_type::array, header_value{wire_rig::as_bytes(values)});
}

/// [{"count": 9}], as a client would send it back.
constexpr auto nine_deaths = "F\0\0\0\17\5countl\0\0\0\0\0\0\0\11"sv;

}  // namespace live::report_tests

using namespace live::report_tests;

TEST_CASE("B04: a wait is published once, returned never, and comes again once") {
    for (const auto type : both_types) {
        tried at{"reports.wait", type, 3, [](const call& seen, waybill::context&) {
                     return seen.attempt == 1 ? waybill::retry_after(300ms) : waybill::ack();
                 }};
        at.client.fill(at.name, 1);
        REQUIRE(eventually([&] { return at.reads.count(at.name) == 2; }));
        CHECK(at.reads.stop());
        CHECK(at.reads.count(at.name) == 2);
        CHECK(at.between.seen(faults::side::client, "basic.publish") == 1);
        CHECK(at.between.seen(faults::side::server, "basic.return") == 0);
        CHECK(at.client.ready(at.name) == 0);
        CHECK(at.client.ready(at.name + ".dead") == 0);
        at.check_undisturbed();
    }
}

TEST_CASE("B35: the cap reads Waybill's own count, whatever clients and servers write of deaths") {
    for (const auto type : both_types) {
        for (const bool keeps : {false, true}) {
            tried at{"reports.cap", type, 3, always(waybill::retry_after(300ms)), [&](queue& from) {
                         if (keeps) from.keep_deaths();
                     }};
            sender by;
            by.send("", at.name, "plain");
            by.send("", at.name, "with deaths",
                    {{"x-death", array(nine_deaths)}, {"x-delivery-count", 9}});
            REQUIRE(at.is_dead(2));
            CHECK(at.reads.stop());
            for (const auto& [body, count] : at.reads.by_body(at.name)) {
                CHECK_MESSAGE(count == 3, body);
            }
            for (const auto& each : at.client.drain(at.name + ".dead")) {
                CHECK(each.text("waybill-retry-count") == "3");
            }
            at.check_undisturbed();
        }
    }
}

TEST_CASE("B55: an array in a header is on each copy as it was sent, and the connection stays") {
    // ["a", "b", [1, 2]]
    const headers sent{{"routes", array("S\0\0\0\1aS\0\0\0\1bA\0\0\0\12I\0\0\0\1I\0\0\0\2"sv)},
                       {"none", array("")},
                       {"tables", array("F\0\0\0\3\1nVF\0\0\0\0"sv)}};
    for (const auto type : both_types) {
        tried at{"reports.arrays", type, 3, always(waybill::retry_after(300ms))};
        sender{}.send("", at.name, "one", sent);
        REQUIRE(at.is_dead(1));
        CHECK(at.reads.stop());
        for (const auto& each : at.reads.calls(at.name)) {
            for (const auto& header : sent) {
                const auto found = each.headers.find(header.name);
                REQUIRE(found.has_value());
                CHECK(*found == header.value);
                CHECK(wire_type_of(*found) == wire_type::array);
            }
        }
        const auto dead = at.client.get(at.name + ".dead");
        REQUIRE(dead.has_value());
        CHECK(dead->header("routes").starts_with("A:"));
        at.check_undisturbed();
    }
}

TEST_CASE("B71: what does not fit into a frame as a copy fails alone, and is not lost") {
    constexpr std::size_t frame = 131'072;
    for (const auto type : both_types) {
        // As a copy it does not fit; the second in no form.
        for (const std::size_t size : {frame - 300, std::size_t{131'000}}) {
            CAPTURE(size);
            const bool fits = size != 131'000;
            tried at{"reports.large", type, 3, always(waybill::retry())};
            sender by;
            by.send("", at.name, "before");
            by.send("", at.name, "large", {{"big", std::string(size, 'x')}});
            by.send("", at.name, "after");
            REQUIRE_MESSAGE(at.is_dead(fits ? 3 : 2), at.reads.log());
            if (!fits) {
                CHECK(eventually(
                    [&] { return at.reads.health().state == waybill::health_state::degraded; }));
            }
            (void)at.reads.stop();
            at.check_undisturbed();
            std::set<std::string> dead;
            for (const auto& each : at.client.drain(at.name + ".dead")) {
                dead.insert(each.body);
                if (each.body == "large") CHECK(each.text("big").size() == size);
            }
            CHECK(dead.contains("large") == fits);
            CHECK(dead.size() == (fits ? 3 : 2));
            REQUIRE(eventually([&] { return at.client.ready(at.name) == (fits ? 0U : 1U); }));
        }
    }
}

TEST_CASE("B71: what the server's own headers make longer than a frame is read all the same") {
    for (const auto type : both_types) {
        // A copy fits, and no longer with the record of its deaths.
        for (const std::size_t size : {131'072U - 700, 131'072U - 550, 131'072U - 450}) {
            CAPTURE(size);
            tried at{"reports.longer", type, 4, always(waybill::retry_after(200ms))};
            sender by;
            by.send("", at.name, "before");
            by.send("", at.name, "large", {{"big", std::string(size, 'x')}});
            by.send("", at.name, "after");
            REQUIRE_MESSAGE(at.is_dead(3), at.reads.log());
            CHECK(at.reads.stop());
            at.check_undisturbed();
            for (const auto& [body, count] : at.reads.by_body(at.name)) {
                CHECK_MESSAGE(count == 4, body);
            }
        }
    }
}

TEST_CASE("B72: a record of deaths is the server's array of tables, or is not there") {
    const headers as_text{{"x-death", "[{\"count\": 3}]"}, {"x-first-death-queue", 7}};
    for (const auto type : both_types) {
        for (const bool keeps : {false, true}) {
            CAPTURE(keeps);
            tried at{"reports.deaths", type, 6, always(waybill::retry_after(200ms)),
                     [&](queue& from) {
                         if (keeps) from.keep_deaths();
                     }};
            sender by;
            by.send("", at.name, "text", as_text);
            by.send("", at.name, "none");
            REQUIRE_MESSAGE(at.is_dead(2), at.reads.log());
            CHECK(at.reads.stop());
            for (const auto& each : at.reads.calls(at.name)) {
                if (each.attempt == 1) continue;
                const auto deaths = each.headers.find("x-death");
                REQUIRE(deaths.has_value());
                CHECK(wire_type_of(*deaths) == wire_type::array);
            }
            for (const auto& each : at.client.drain(at.name + ".dead")) {
                CHECK(each.header("x-death").starts_with("A:") == keeps);
                CHECK(each.header("x-death").empty() != keeps);
            }
            at.check_undisturbed();
            at.client.fill(at.name, 1);  // the queue works on
            CHECK(at.client.ready(at.name) == 1);
        }
    }
}

TEST_CASE("B76: a delay that others wrote is neither waited nor stumbled over") {
    tried at{"reports.delay", queue_type::quorum, 2, always(waybill::retry_after(400ms))};
    sender by;
    const std::map<std::string, header_value> delays{{"32 bits", as(wire_type::i32, -5000)},
                                                     {"64 bits", std::int64_t{-5000}},
                                                     {"an hour", 3'600'000},
                                                     {"a word", "soon"}};
    for (const auto& [body, delay] : delays) by.send("", at.name, body, {{"x-delay", delay}});
    REQUIRE(at.is_dead(4));
    CHECK(at.reads.stop());
    std::map<std::string, std::vector<call>> by_body;
    for (auto& each : at.reads.calls(at.name)) by_body[each.body].push_back(each);
    for (const auto& [body, delay] : delays) {
        CAPTURE(body);
        const auto& seen = by_body[body];
        REQUIRE(seen.size() == 2);
        CHECK(seen[1].at - seen[0].at >= 400ms);
        CHECK(seen[1].at - seen[0].at < 20s);
        for (const auto& each : seen) {
            CHECK(each.headers.find("x-delay") == delay);
            CHECK(wire_type_of(*each.headers.find("x-delay")) == wire_type_of(delay));
        }
    }
}

TEST_CASE("B45, B89: what a topic routed is tried again by the queue that failed alone") {
    for (const auto type : both_types) {
        plain_client client;
        client.make_exchange("reports.topic", "topic");
        client.make_queue("reports.neighbour");
        client.bind("reports.neighbour", "reports.topic", "orders.#");
        tried at{"reports.topic", type, 4,
                 [](const call& seen, waybill::context&) {
                     return seen.attempt == 2 ? waybill::retry_after(200ms) : waybill::retry();
                 },
                 [](queue& from) { from.bind("reports.topic", "orders.eu.*"); }};
        client.publish("reports.topic", "orders.eu.new", "one");
        client.confirm();
        REQUIRE(at.is_dead(1));
        CHECK(at.reads.stop());
        const auto calls = at.reads.calls(at.name);
        REQUIRE(calls.size() == 4);
        CHECK(calls.front().address == rabbitmq::exchange_key("reports.topic", "orders.eu.new"));
        CHECK(calls.back().address == at.name);
        CHECK(client.get(at.name + ".dead")->text("waybill-dead-source") == at.name);
        CHECK(client.drain("reports.neighbour").size() == 1);
    }
}

TEST_CASE("B90: what came through a chain of exchanges is tried again by the queue that failed") {
    for (const auto type : both_types) {
        plain_client client;
        for (const auto* each : {"reports.a", "reports.b", "reports.c", "reports.d"}) {
            client.delete_exchange(each);
        }
        for (const auto* each : {"reports.of.b", "reports.of.c"}) client.make_queue(each);
        service topology;
        for (const auto* each : {"reports.a", "reports.b", "reports.c", "reports.d"}) {
            auto made = rabbitmq::exchange::fanout(each);
            if (each != "reports.a"sv) made.bind("reports.a", "");
            topology.config().declare(made);
        }
        topology.broker();
        topology.start();
        CHECK(topology.stop());
        client.bind("reports.of.b", "reports.b", "");
        client.bind("reports.of.c", "reports.c", "");
        tried at{"reports.of.d", type, 3, always(waybill::retry_after(200ms)),
                 [](queue& from) { from.bind("reports.d", ""); }};
        client.publish("reports.a", "k", "one");
        client.confirm();
        REQUIRE(at.is_dead(1));
        CHECK(at.reads.stop());
        CHECK(at.reads.count(at.name) == 3);
        for (const auto* each : {"reports.of.b", "reports.of.c"}) {
            CHECK(client.drain(each).size() == 1);
        }
    }
}

TEST_CASE("B190: a topic exchange takes what the one in memory takes") {
    plain_client client;
    sender by;
    client.make_exchange("reports.patterns", "topic");
    std::map<std::string, std::string> queues;
    for (const auto& each : support::topic_patterns) {
        const auto name = "reports.pattern." + std::to_string(queues.size());
        if (!queues.emplace(each.pattern, name).second) continue;
        client.make_queue(name);
        client.bind(name, "reports.patterns", each.pattern);
    }
    std::set<std::string> keys;
    for (const auto& each : support::topic_patterns) keys.insert(each.key);
    for (const auto& each : keys) by.send("reports.patterns", each, each);
    std::map<std::string, std::set<std::string>> taken;
    for (const auto& [pattern, name] : queues) {
        for (const auto& each : client.drain(name)) CHECK(taken[pattern].insert(each.body).second);
        client.delete_queue(name);
    }
    for (const auto& each : support::topic_patterns) {
        CAPTURE(std::string{each.pattern});
        CAPTURE(std::string{each.key});
        CHECK(taken[each.pattern].contains(each.key) == each.matches);
    }
}
