// `waybill queues list` and `prune`, on a server in memory.
#include "transport/rabbitmq/prune.hpp"

#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mq_prune_test {

using namespace std::chrono_literals;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;
using mq::found_queue;
using mq::queue_type;

constexpr queue_type both_types[] = {queue_type::classic, queue_type::quorum};

/// A wire on which something happens just before a queue is deleted.
class watched_wire final : public mq::wire {
public:
    using before = std::function<void(std::string_view queue)>;
    watched_wire(std::unique_ptr<mq::wire> behind, before deletes)
        : behind_{std::move(behind)}, deletes_{std::move(deletes)} {}

    answer<std::uint32_t> delete_queue(mq::channel_id channel, std::string_view name,
                                       bool if_unused, bool if_empty) override {
        if (deletes_) deletes_(name);
        return behind_->delete_queue(channel, name, if_unused, if_empty);
    }

    [[nodiscard]] const mq::server_facts& server() const noexcept override {
        return behind_->server();
    }
    answer<void> open_channel(mq::channel_id channel) override {
        return behind_->open_channel(channel);
    }
    answer<void> close_channel(mq::channel_id channel) override {
        return behind_->close_channel(channel);
    }
    answer<mq::queue_state> declare(mq::channel_id channel, const mq::queue_spec& what,
                                    bool passive) override {
        return behind_->declare(channel, what, passive);
    }

    // ---- what nobody asks here. @{
    answer<void> select_confirms(mq::channel_id) override { return {}; }
    answer<void> prefetch(mq::channel_id, std::uint16_t) override { return {}; }
    answer<void> declare(mq::channel_id, const mq::exchange_spec&, bool) override { return {}; }
    answer<void> bind_queue(mq::channel_id, std::string_view, std::string_view, std::string_view,
                            const waybill::headers&) override {
        return {};
    }
    answer<void> bind_exchange(mq::channel_id, std::string_view, std::string_view, std::string_view,
                               const waybill::headers&) override {
        return {};
    }
    answer<void> consume(mq::channel_id, std::string_view, std::string_view, bool,
                         const waybill::headers&) override {
        return {};
    }
    answer<void> cancel(mq::channel_id, std::string_view) override { return {}; }
    std::expected<void, waybill::error> publish(mq::channel_id, const mq::publication&) override {
        return {};
    }
    void ack(mq::channel_id, std::uint64_t, bool) override {}
    void nack(mq::channel_id, std::uint64_t, bool, bool) override {}
    void reject(mq::channel_id, std::uint64_t, bool) override {}
    answer<void> flush() override { return {}; }
    answer<bool> read(mq::wire_events&) override { return false; }
    void wait(std::optional<std::chrono::nanoseconds>) override {}
    void wake() noexcept override {}
    void close() noexcept override { behind_->close(); }
    /// @}

private:
    std::unique_ptr<mq::wire> behind_;
    before deletes_;
};

/// A server, a service that has gone, and a person who cleans up behind it.
struct rig {
    explicit rig(mq::server_version version = mq::server_version::v4_0) : at{version} {
        how.vhost = "/";
        how.spans = {1s, 2s, 2min};
        how.pause = [this](std::chrono::nanoseconds span, std::size_t) {
            paused += span;
            at.advance(span);
            if (meanwhile) meanwhile();
        };
    }
    /// A waiting queue of this origin as the service makes it; says its name.
    std::string make(std::chrono::milliseconds span, queue_type type, const mq::target& back_to) {
        const auto spec = mq::waiting_queue(span, type, "/", back_to);
        REQUIRE(person->declare(1, spec, false).has_value());
        return spec.name;
    }
    std::vector<found_queue> list(const std::string& origin) {
        return all(mq::find_waiting_queues(*wire(), std::vector{origin}, how));
    }
    std::vector<found_queue> prune(const std::string& origin) {
        return all(mq::prune_waiting_queues(*wire(), std::vector{origin}, how));
    }
    /// Of one queue: "" when it went, else why not.
    std::string kept(const std::string& origin) {
        const auto found = prune(origin);
        REQUIRE(found.size() == 1);
        CHECK(at.server.exists(found[0].name) != found[0].is_deleted);
        CHECK(found[0].is_deleted == found[0].kept.empty());
        return found[0].kept;
    }

    mq_rig at;
    mq_client person{at.time, "person"};
    mq::prune_settings how;
    std::chrono::nanoseconds paused{0};
    std::function<void()> meanwhile;
    watched_wire::before deletes;

private:
    std::unique_ptr<mq::wire> wire() {
        auto opened = person.connector().open("pruner");
        REQUIRE(opened.has_value());
        return std::make_unique<watched_wire>(std::move(*opened), deletes);
    }
    static std::vector<found_queue> all(
        std::expected<std::vector<found_queue>, waybill::error> found) {
        REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().message()));
        return *std::move(found);
    }
};

waybill::headers of_type(queue_type type) {
    if (type == queue_type::classic) return {};
    return {{"x-queue-type", "quorum"}};
}

TEST_CASE(
    "the waiting queues of an origin are listed with what waits in them, and none of others") {
    for (const auto type : both_types) {
        rig one;
        one.person.declare("orders", of_type(type));
        const auto name = one.make(2s, type, {"", "orders"});
        one.make(2s, type, {"", "others"});
        one.at.server.publish(name, "waits");
        const auto found = one.list("orders");
        REQUIRE(found.size() == 1);
        CHECK(found[0].name == name);
        CHECK(found[0].origin == "orders");
        CHECK(found[0].span == 2s);
        CHECK(found[0].type == type);
        CHECK(found[0].messages == 1);
        CHECK_FALSE(found[0].is_deleted);
        CHECK(found[0].kept.empty());
        CHECK(one.at.server.exists(name));
        CHECK(one.list("nobody's").empty());
    }
}

TEST_CASE("what holds a message is kept, and what is empty goes") {
    for (const auto version : {mq::server_version::v3_10, mq::server_version::v4_3}) {
        for (const auto type : both_types) {
            rig one{version};
            one.person.declare("orders", of_type(type));
            one.at.server.publish(one.make(2s, type, {"", "orders"}), "waits");
            CHECK(one.kept("orders") == "it holds 1 message");
            one.at.advance(2s);
            CHECK(one.at.server.queued("orders") == 1);
            if (type == queue_type::quorum) {
                CHECK(one.kept("orders").starts_with("its origin orders is not empty"));
                mq_client reader{one.at.time, "reader"};
                reader.consume("orders");
                CHECK(reader.bodies() == "waits");
                reader.ack_all();
            }
            CHECK(one.kept("orders") == "");
            CHECK(one.paused == (type == queue_type::quorum ? 2s : 0s));
            CHECK(one.prune("orders").empty());
        }
    }
}

TEST_CASE("a classic queue that somebody reads is kept, with the server's words") {
    rig one;
    one.person.declare("orders");
    one.person.consume(one.make(2s, queue_type::classic, {"", "orders"}));
    CHECK(one.kept("orders").find("in use") != std::string::npos);
}

TEST_CASE("a quorum queue in which something waits anew between the two looks is kept") {
    rig one;
    one.person.declare("orders", of_type(queue_type::quorum));
    const auto name = one.make(2s, queue_type::quorum, {"", "orders"});
    one.make(1s, queue_type::quorum, {"", "orders"});
    one.meanwhile = [&] { one.at.server.publish(name, "waits"); };
    const auto found = one.prune("orders");
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_deleted);
    CHECK(found[1].kept == "it holds 1 message");
    one.at.advance(2s);
    CHECK(one.at.server.queued("orders") == 1);
}

TEST_CASE("a quorum queue in which something waits when the one before it is deleted is kept") {
    rig one;
    one.person.declare("orders", of_type(queue_type::quorum));
    const auto first = one.make(1s, queue_type::quorum, {"", "orders"});
    const auto second = one.make(2s, queue_type::quorum, {"", "orders"});
    one.deletes = [&](std::string_view queue) {
        if (queue == first) one.at.server.publish(second, "waits");
    };
    const auto found = one.prune("orders");
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_deleted);
    CHECK_FALSE(found[1].is_deleted);
    CHECK(found[1].kept == "it holds 1 message");
    one.at.advance(2s);
    CHECK(one.at.server.queued("orders") == 1);
}

TEST_CASE("a quorum queue whose origin is read when the one before it is deleted is kept") {
    rig one;
    one.person.declare("orders", of_type(queue_type::quorum));
    const auto first = one.make(1s, queue_type::quorum, {"", "orders"});
    one.make(2s, queue_type::quorum, {"", "orders"});
    mq_client reader{one.at.time, "reader"};
    one.deletes = [&](std::string_view queue) {
        if (queue == first) reader.consume("orders");
    };
    const auto found = one.prune("orders");
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_deleted);
    CHECK(found[1].kept == "its origin orders has 1 consumer");
}

TEST_CASE("what begins to wait between the last look and the deletion is counted") {
    rig one;
    one.person.declare("orders", of_type(queue_type::quorum));
    const auto first = one.make(1s, queue_type::quorum, {"", "orders"});
    one.make(2s, queue_type::quorum, {"", "orders"});
    one.deletes = [&](std::string_view queue) {
        if (queue == first) one.at.server.publish(queue, "waits");
    };
    const auto found = one.prune("orders");
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_deleted);
    CHECK(found[0].gone_along == 1);
    CHECK(found[1].is_deleted);
    CHECK(found[1].gone_along == 0);
}

TEST_CASE("an empty quorum queue is kept while it cannot be judged") {
    rig one;
    one.person.declare("orders", of_type(queue_type::quorum));
    one.make(2min, queue_type::quorum, {"", "orders"});
    CHECK(one.kept("orders") == "it must be empty for 2m, and no more than 1m is waited");
    one.how.longest_wait = 5min;
    {
        mq_client reader{one.at.time, "reader"};
        reader.consume("orders");
        CHECK(one.kept("orders") == "its origin orders has 1 consumer");
    }
    one.meanwhile = [&] { one.person.consume("orders"); };
    CHECK(one.kept("orders") == "its origin orders has 1 consumer");
    one.meanwhile = nullptr;
    one.at.server.delete_queue("orders");
    CHECK(one.kept("orders").starts_with("its origin orders is not there"));
    one.person.declare("orders", of_type(queue_type::quorum));
    CHECK(one.kept("orders") == "");
}

TEST_CASE("of what comes back to an exchange the classic one goes, as the server judges it alone") {
    const auto origin = mq::exchange_key("events", "of.orders");
    rig one;
    one.person.declare_exchange("events", "topic");
    const auto classic = one.make(2s, queue_type::classic, {"events", "of.orders"});
    const auto quorum = one.make(2s, queue_type::quorum, {"events", "of.orders"});
    const auto found = one.prune(origin);
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == classic);
    CHECK(found[0].is_deleted);
    CHECK(found[1].name == quorum);
    CHECK(found[1].kept ==
          "what waits goes to an exchange, and nobody can say who reads behind it");
    CHECK(one.at.server.exists(quorum));
    CHECK(one.paused == 0s);
}

TEST_CASE("an origin that is no address, and a connection that falls, are errors") {
    rig one;
    const auto wrong = [&](const std::string& origin) {
        const auto wire = one.person.connector().open("pruner");
        REQUIRE(wire.has_value());
        const auto found = mq::prune_waiting_queues(**wire, std::vector{origin}, one.how);
        REQUIRE_FALSE(found.has_value());
        return found.error();
    };
    CHECK(wrong("/exchanges").code == waybill::errc::argument);
    one.person.declare("orders", of_type(queue_type::quorum));
    one.make(1s, queue_type::quorum, {"", "orders"});
    one.meanwhile = [&] { one.at.server.drop_connections(); };
    CHECK(wrong("orders").code == waybill::errc::connection);
}

}  // namespace mq_prune_test
