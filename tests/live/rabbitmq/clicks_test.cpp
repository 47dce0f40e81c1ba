// examples/clicks on real servers, in both ways, and beside a consumer that is written as the
// article in docs/from-x-death.md has it.
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "service.hpp"
#include "transport/rabbitmq/settings.hpp"
#include "transport/rabbitmq/values.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/publisher.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

using namespace live;
using namespace std::chrono_literals;

namespace live::click_tests {

namespace rabbitmq = waybill::rabbitmq;

constexpr auto wait = 300ms;
constexpr auto page = R"({"id":7,"page":"/cart","visitor":"visitor-3"})";

class broken_store final : public clicks::click_store {
public:
    void add(const clicks::click&) override {
        const auto now = std::chrono::steady_clock::now();
        if (calls++ != 0) shortest = std::min(shortest, now - last);
        last = now;
        throw std::runtime_error{"the store is away"};
    }
    std::atomic<int> calls{0};
    std::chrono::steady_clock::time_point last;
    std::chrono::steady_clock::duration shortest = 1h;
};

void clear(plain_client& client) {
    for (const auto* each :
         {"clickQueue", "clickQueue@retry", "clickQueue@failed", "clickQueue.failed"}) {
        client.delete_queue(each);
    }
}

void set_up_team(plain_client& client) {
    clear(client);
    waybill::app team{"team", "1"};
    team.log_level(waybill::log_level::warning);
    team.broker(clicks::with_team_topology(server_url(), wait));
    REQUIRE(team.start());
    CHECK(team.stop());
}

void begin(waybill::app& service) {
    service.log_level(waybill::log_level::error);
    const auto started = service.start();
    REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().front().message()));
}

/// What the article's getRetryCount reads: the count of the first entry of `x-death`.
std::int64_t article_count(const waybill::headers& all) {
    const auto deaths = all.find("x-death");
    const auto bytes = deaths ? deaths->bytes().value_or(std::span<const std::byte>{})
                              : std::span<const std::byte>{};
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    const auto at = text.find(
        "\x05"
        "countl");
    if (at == text.npos) return 0;
    std::int64_t count = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
        count = count << 8 | static_cast<unsigned char>(text[at + 7 + byte]);
    }
    return count;
}

/// As the article has it: every message fails; above three it goes to the failed exchange, else to
/// the retry exchange, with the headers that it had, and then it is acked.
class article_consumer final : rabbitmq::wire_events {
public:
    article_consumer() {
        auto settings = rabbitmq::parse_url(server_url());
        REQUIRE(settings.has_value());
        auto opened = rabbitmq::make_connector(*settings)->open("the article's consumer");
        REQUIRE(opened.has_value());
        on_ = std::move(*opened);
        REQUIRE(on_->open_channel(1).has_value());
        REQUIRE(on_->prefetch(1, 1).has_value());
        REQUIRE(on_->consume(1, "clickQueue", "article", false, {}).has_value());
        thread_ = std::thread{[this] { run(); }};
    }
    ~article_consumer() {
        ends_ = true;
        on_->wake();
        thread_.join();
        on_->close();
    }
    std::atomic<int> calls{0};
    std::atomic<std::int64_t> highest{0};

private:
    void run() {
        while (!ends_) {
            const auto read = on_->read(*this);
            if (!read || !on_->flush()) return;
            if (!*read) on_->wait(100ms);
        }
    }
    std::byte* begins(const rabbitmq::arrival& head) override {
        tag_ = head.tag;
        all_ = waybill::headers::copy_of(head.packed_headers);
        body_.resize(head.body_size);
        return body_.data();
    }
    void arrived() override {
        ++calls;
        const auto count = article_count(all_);
        highest = std::max(highest.load(), count);
        const bool spent = count > 3;
        REQUIRE(on_->publish(
            1, {spent ? "clickFailedExchange" : "clickRetryExchange",
                spent ? "clickFailedKey" : "clickRetryKey", all_.packed(), body_, false}));
        on_->ack(1, tag_, false);
    }
    void returned(const rabbitmq::returned_message&) override {}
    void confirmed(rabbitmq::channel_id, std::uint64_t, bool, bool) override {}
    void cancelled(rabbitmq::channel_id, std::string_view) override {}
    void channel_closed(rabbitmq::channel_id, const rabbitmq::refusal&) override {}
    void blocked(std::string_view) override {}

    std::unique_ptr<rabbitmq::wire> on_;
    std::uint64_t tag_ = 0;
    waybill::headers all_;
    std::vector<std::byte> body_;
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

}  // namespace live::click_tests

using namespace live::click_tests;

TEST_CASE("in Waybill's own way a click is in the failed queue after the fifth delivery") {
    plain_client client;
    clear(client);
    const auto store = std::make_shared<broken_store>();
    auto service = clicks::make_app(server_url(), store, wait);
    begin(service);
    client.publish("clickExchange", "clickKey", page);
    client.confirm();
    REQUIRE(eventually([&] { return client.ready("clickQueue.failed") == 1; }));
    CHECK(service.stop());
    CHECK(store->calls == 5);
    CHECK(store->shortest >= wait);
    const auto failed = client.get("clickQueue.failed");
    REQUIRE(failed);
    CHECK(failed->text("waybill-dead-reason") == "attempts");
    CHECK(failed->text("waybill-dead-error") == "the store is away");
    CHECK(failed->body == page);
    CHECK(client.ready("clickQueue") == 0);
    clear(client);
}

TEST_CASE(
    "over a team's exchanges a click waits in its retry queue, and is in its failed queue "
    "after the fifth delivery") {
    plain_client client;
    set_up_team(client);
    const auto store = std::make_shared<broken_store>();
    auto service = clicks::make_legacy_app(server_url(), store);
    begin(service);
    client.publish("clickExchange", "clickKey", page);
    client.confirm();
    REQUIRE(eventually([&] { return client.ready("clickQueue@failed") == 1; }));
    CHECK(service.stop());
    CHECK(store->calls == 5);
    CHECK(store->shortest >= wait);
    const auto failed = client.get("clickQueue@failed");
    REQUIRE(failed);
    CHECK(failed->exchange == "clickFailedExchange");
    CHECK(failed->text("waybill-retry-count") == "5");
    CHECK(failed->text("waybill-dead-reason") == "attempts");
    CHECK(failed->header("x-death").find("clickQueue@retry") != std::string::npos);
    CHECK(client.ready("clickQueue") == 0);
    CHECK(client.ready("clickQueue@retry") == 0);
    clear(client);
}

TEST_CASE("the article's consumer counts on 3.10, and goes round for ever on 4.x") {
    plain_client client;
    set_up_team(client);
    const article_consumer consumer;
    client.publish("clickExchange", "clickKey", page);
    client.confirm();
    if (server_version() < version{4, 0}) {
        REQUIRE(eventually([&] { return client.ready("clickQueue@failed") == 1; }));
        CHECK(consumer.calls == 5);
    } else {
        REQUIRE(eventually([&] { return consumer.calls >= 8; }));
        CHECK(consumer.highest == 1);
        CHECK(client.ready("clickQueue@failed") == 0);
    }
    clear(client);
}

TEST_CASE("beside the article's consumer every click ends in the failed queue, once") {
    plain_client client;
    set_up_team(client);
    const auto store = std::make_shared<broken_store>();
    auto service = clicks::make_legacy_app(server_url(), store);
    begin(service);
    {
        const article_consumer consumer;
        for (int count = 0; count < 10; ++count) client.publish("clickExchange", "clickKey", page);
        client.confirm();
        REQUIRE(eventually([&] { return client.ready("clickQueue@failed") == 10; }, 120s));
        CHECK(consumer.calls > 0);
    }
    CHECK(store->calls > 0);
    CHECK(service.stop());
    CHECK(client.ready("clickQueue") == 0);
    CHECK(client.ready("clickQueue@retry") == 0);
    clear(client);
}
