// `waybill queues list` and `prune`, on real servers.
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"
#include "transport/rabbitmq/prune.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

using namespace live;
using namespace std::chrono_literals;

namespace live::queues_tests {

namespace rabbitmq = waybill::rabbitmq;
using rabbitmq::found_queue;
using rabbitmq::queue_type;

constexpr queue_type both_types[] = {queue_type::classic, queue_type::quorum};

class pruner {
public:
    pruner() {
        auto settings = rabbitmq::parse_url(server_url());
        REQUIRE(settings.has_value());
        how.vhost = settings->vhost;
        how.pause = [](std::chrono::nanoseconds span, std::size_t) {
            std::this_thread::sleep_for(span);
        };
        auto opened = rabbitmq::make_connector(*settings)->open("pruner");
        REQUIRE(opened.has_value());
        on_ = std::move(*opened);
    }
    ~pruner() { on_->close(); }

    std::vector<found_queue> list(const std::string& origin) {
        auto all = rabbitmq::find_waiting_queues(*on_, std::vector{origin}, how);
        REQUIRE_MESSAGE(all.has_value(), (all ? "" : all.error().message()));
        return *all;
    }
    std::vector<found_queue> prune(const std::string& origin) {
        auto all = rabbitmq::prune_waiting_queues(*on_, std::vector{origin}, how);
        REQUIRE_MESSAGE(all.has_value(), (all ? "" : all.error().message()));
        return *all;
    }
    rabbitmq::prune_settings how;

private:
    std::unique_ptr<rabbitmq::wire> on_;
};

std::string name_for(std::string_view test, queue_type type) {
    return "queues." + std::string{test} + (type == queue_type::quorum ? ".quorum" : ".classic");
}

/// One message that waits for that long, whose service has gone.
/// A service makes a classic one only for a queue that goes with the service itself.
void let_wait_by_hand(plain_client& client, const std::string& name, const std::string& waits,
                      std::chrono::milliseconds span) {
    client.make_queue(name);
    client.make_queue(waits, {{"x-message-ttl", static_cast<int>(span.count())},
                              {"x-dead-letter-exchange", ""},
                              {"x-dead-letter-routing-key", name}});
    client.publish("", waits, "0");
    client.confirm();
}

void let_wait(plain_client& client, const std::string& name, queue_type type,
              std::chrono::milliseconds span) {
    client.delete_queue(name);
    const auto waits = rabbitmq::waiting_queue_name(span, type, login_of_server().vhost, name);
    client.delete_queue(waits);
    if (type == queue_type::classic) return let_wait_by_hand(client, name, waits, span);
    service reads;
    reads.subscribe(std::move(rabbitmq::queue{name}.type(type)),
                    [span](const call&, waybill::context&) { return waybill::retry_after(span); });
    reads.start();
    client.fill(name, 1);
    const auto is_settled = [&] {
        return reads.count(name) == 1 &&
               reads.app().health().state == waybill::health_state::running;
    };
    REQUIRE(eventually(is_settled));
    CHECK(reads.stop());
}

}  // namespace live::queues_tests

using namespace live::queues_tests;

TEST_CASE("a waiting queue is listed with what waits in it") {
    for (const auto type : both_types) {
        plain_client client;
        const auto name = name_for("list", type);
        let_wait(client, name, type, 30min);
        pruner asks;
        const auto all = asks.list(name);
        REQUIRE(all.size() == 1);
        CHECK(all[0].span == 30min);
        CHECK(all[0].type == type);
        CHECK(all[0].messages == 1);
        client.delete_queue(all[0].name);
        CHECK(asks.list(name).empty());
    }
}

TEST_CASE("what holds a message is kept, and what is empty goes") {
    for (const auto type : both_types) {
        plain_client client;
        const auto name = name_for("prune", type);
        pruner asks;
        let_wait(client, name, type, 30min);
        asks.how.spans = {30min};
        const auto first = asks.prune(name);
        REQUIRE(first.size() == 1);
        CHECK(!first[0].is_deleted);
        CHECK(first[0].kept == "it holds 1 message");
        client.delete_queue(first[0].name);
        let_wait(client, name, type, 1s);
        asks.how.spans = {1s};
        REQUIRE(eventually([&] { return client.ready(name) == 1; }));
        if (type == queue_type::quorum) {
            const auto full = asks.prune(name);
            REQUIRE(full.size() == 1);
            CHECK(full[0].kept.starts_with("its origin " + name + " is not empty"));
            CHECK(client.drain(name).size() == 1);
        }
        const auto second = asks.prune(name);
        REQUIRE(second.size() == 1);
        CHECK_MESSAGE(second[0].is_deleted, second[0].kept);
        CHECK(!client.exists(second[0].name));
    }
}

TEST_CASE("an empty quorum queue is kept while it cannot be watched, is in use, or has no origin") {
    plain_client client;
    const auto name = name_for("kept", queue_type::quorum);
    let_wait(client, name, queue_type::quorum, 1s);
    REQUIRE(eventually([&] { return client.ready(name) == 1; }));
    client.drain(name);
    pruner asks;
    asks.how.spans = {1s};
    asks.how.longest_wait = 500ms;
    auto all = asks.prune(name);
    REQUIRE(all.size() == 1);
    CHECK(all[0].kept == "it must be empty for 1s, and no more than 500ms is waited");
    asks.how.longest_wait = 10s;
    {
        service reads;
        reads.subscribe(std::move(rabbitmq::queue{name}.quorum()),
                        [](const call&, waybill::context&) { return waybill::ack(); });
        reads.start();
        all = asks.prune(name);
        REQUIRE(all.size() == 1);
        CHECK(all[0].kept == "its origin queues.kept.quorum has 1 consumer");
        CHECK(reads.stop());
    }
    client.delete_queue(name);
    all = asks.prune(name);
    REQUIRE(all.size() == 1);
    CHECK(all[0].kept.starts_with("its origin queues.kept.quorum is not there"));
    client.delete_queue(all[0].name);
}
