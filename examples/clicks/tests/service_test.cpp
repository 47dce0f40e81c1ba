#include "service.hpp"

#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>

using namespace std::chrono_literals;
namespace rabbitmq = waybill::rabbitmq;

namespace {

constexpr auto url = "amqp://127.0.0.1:5672";

/// Fails the first times for each click, as often as it is told.
class failing_store final : public clicks::click_store {
public:
    explicit failing_store(int times) : times_{times} {}
    void add(const clicks::click& seen) override {
        if (calls[seen.id]++ < times_) throw std::runtime_error{"the store is away"};
    }
    std::map<std::uint64_t, int> calls;

private:
    int times_;
};

clicks::click a_click(std::uint64_t id) { return {id, "/cart", "visitor-3"}; }

rabbitmq::fake_server server_of(rabbitmq::server_version version) {
    rabbitmq::server_options how;
    how.version = version;
    return rabbitmq::fake_server{url, how};
}

rabbitmq::server_version either_version() {
    auto chosen = rabbitmq::server_version::v3_10;
    SUBCASE("3.10") { chosen = rabbitmq::server_version::v3_10; }
    SUBCASE("4.0") { chosen = rabbitmq::server_version::v4_0; }
    return chosen;
}

/// The team's exchanges and queues are there; nothing of Waybill's reads them yet.
void set_up_team() {
    waybill::app app{"team", "1"};
    app.broker(clicks::with_team_topology(url));
    const waybill::test_app declares{std::move(app)};
}

}  // namespace

TEST_CASE("a click that fails comes again after 30 s") {
    const auto server = server_of(either_version());
    const auto store = std::make_shared<failing_store>(1);
    waybill::test_app tb{clicks::make_app(url, store)};
    tb.publish("clickQueue", a_click(7));
    CHECK(tb.calls("clickQueue") == 1);
    CHECK(server.waiting() == 1);
    tb.advance(30s - 1ms);
    CHECK(tb.calls("clickQueue") == 1);
    tb.advance(1ms);
    CHECK(tb.calls("clickQueue") == 2);
    CHECK(server.waiting() == 0);
    CHECK(server.queued("clickQueue.failed") == 0);
}

TEST_CASE("after the fifth delivery a click is in the failed queue, and says why") {
    const auto server = server_of(either_version());
    waybill::test_app tb{clicks::make_app(url, std::make_shared<failing_store>(99))};
    tb.publish("clickQueue", a_click(7));
    tb.advance(119s);
    CHECK(tb.calls("clickQueue") == 4);
    tb.advance(1s);
    CHECK(tb.calls("clickQueue") == 5);
    const auto failed = server.messages("clickQueue.failed");
    REQUIRE(failed.size() == 1);
    const auto& dead = failed[0].with;
    CHECK(dead.text("waybill-retry-count") == "5");
    CHECK(dead.text("waybill-dead-reason") == "attempts");
    CHECK(dead.text("waybill-dead-error") == "the store is away");
    tb.advance(1h);
    CHECK(tb.calls("clickQueue") == 5);
}

TEST_CASE("a wait holds up no click behind it") {
    const auto server = server_of(rabbitmq::server_version::v4_0);
    const auto store = std::make_shared<failing_store>(1);
    waybill::test_app tb{clicks::make_app(url, store)};
    tb.publish("clickQueue", a_click(1));
    tb.advance(10s);
    tb.publish("clickQueue", a_click(2));
    CHECK(store->calls[2] == 1);
    tb.advance(20s);
    CHECK(store->calls[1] == 2);
    CHECK(store->calls[2] == 1);
}

TEST_CASE("over a team's retry queue a click comes again when that queue lets it go") {
    const auto server = server_of(either_version());
    set_up_team();
    const auto store = std::make_shared<failing_store>(1);
    waybill::test_app tb{clicks::make_legacy_app(url, store)};
    tb.publish("clickQueue", a_click(7));
    REQUIRE(server.messages("clickQueue@retry").size() == 1);
    CHECK(server.messages("clickQueue@retry")[0].exchange == "clickRetryExchange");
    tb.advance(30s);
    CHECK(store->calls[7] == 2);
    CHECK(server.queued("clickQueue@retry") == 0);
    CHECK(server.queued("clickQueue@failed") == 0);
}

TEST_CASE("over a team's exchanges a click is in its failed queue after the fifth delivery") {
    const auto server = server_of(either_version());
    set_up_team();
    waybill::test_app tb{clicks::make_legacy_app(url, std::make_shared<failing_store>(99))};
    tb.publish("clickQueue", a_click(7));
    tb.advance(120s);
    CHECK(tb.calls("clickQueue") == 5);
    const auto failed = server.messages("clickQueue@failed");
    REQUIRE(failed.size() == 1);
    const auto& dead = failed[0];
    CHECK(dead.exchange == "clickFailedExchange");
    CHECK(dead.with.text("waybill-retry-count") == "5");
    CHECK(dead.with.contains("x-death"));
    CHECK(server.queued("clickQueue") == 0);
}

TEST_CASE("a click that the team's own consumer has retried has all its attempts here") {
    const auto server = server_of(rabbitmq::server_version::v3_10);
    set_up_team();
    waybill::test_app tb{clicks::make_legacy_app(url, std::make_shared<failing_store>(99))};
    // As that consumer does: what it took, with its headers, to the retry exchange.
    const std::string body = R"({"id":7,"page":"/cart","visitor":"visitor-3"})";
    server.publish({"clickRetryExchange", "clickRetryKey"}, body);
    tb.advance(150s);
    CHECK(tb.calls("clickQueue") == 5);
    CHECK(server.queued("clickQueue@failed") == 1);
}

TEST_CASE(
    "the team's record of deaths goes on while Waybill retries, so that its consumers can "
    "count by it") {
    const auto server = server_of(rabbitmq::server_version::v3_10);
    set_up_team();
    waybill::test_app tb{clicks::make_legacy_app(url, std::make_shared<failing_store>(3))};
    tb.publish("clickQueue", a_click(7));
    tb.advance(90s);
    const auto calls = tb.calls("clickQueue");
    REQUIRE(calls == 4);
    CHECK(calls[3].with.text("x-first-death-queue") == "clickQueue@retry");
    CHECK(calls[3].with.contains("x-death"));
    CHECK(calls[3].attempt == 4);
}

TEST_CASE("the wiring of both is sound, and describe says where retries go and wait") {
    const auto store = std::make_shared<failing_store>(0);
    CHECK(clicks::make_app(url, store).check().empty());
    const auto legacy = clicks::make_legacy_app(url, store);
    CHECK(legacy.check().empty());
    const auto said = legacy.describe();
    CHECK_MESSAGE(said.find("/exchanges/clickRetryExchange/clickRetryKey, and wait as long as that "
                            "says") != said.npos,
                  said);
}

TEST_CASE("on a team's queue, without its retry queue, a click waits 30 s and fails as before") {
    const auto server = server_of(either_version());
    set_up_team();
    const auto store = std::make_shared<failing_store>(99);
    waybill::test_app tb{clicks::make_app_on_team_queue(url, store)};
    tb.publish("clickQueue", a_click(7));
    CHECK(server.waiting() == 1);
    CHECK(server.queued("clickQueue@retry") == 0);
    tb.advance(30s - 1ms);
    CHECK(store->calls[7] == 1);
    tb.advance(90s + 1ms);
    CHECK(store->calls[7] == 5);
    const auto failed = server.messages("clickQueue@failed");
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].exchange == "clickFailedExchange");
    CHECK(failed[0].with.text("waybill-dead-reason") == "attempts");
    CHECK(server.queued("clickQueue") == 0);
}

TEST_CASE("a team that has no retry exchange is told so at start") {
    const auto server = server_of(either_version());
    {
        waybill::app app{"team", "1"};
        app.broker(rabbitmq::broker{url}.declare(rabbitmq::queue("clickQueue")));
        const waybill::test_app declares{std::move(app)};
    }
    std::string said;
    try {
        const waybill::test_app tb{
            clicks::make_legacy_app(url, std::make_shared<failing_store>(0))};
    } catch (const waybill::test_failure& failed) {
        said = failed.what();
    }
    CHECK_MESSAGE(said.find("exchange clickFailedExchange") != said.npos, said);
}
