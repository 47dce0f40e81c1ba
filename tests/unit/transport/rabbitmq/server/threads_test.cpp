// The server under threads of clients that wait by themselves.
#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace mq_threads_test {

using namespace std::chrono_literals;
using waybill::test::mq_client;
namespace mq = waybill::rabbitmq;

constexpr int publishers = 3;
constexpr int each_publishes = 2000;

mq::connection_settings here() {
    mq::connection_settings to;
    to.hosts = {{"127.0.0.1", 5672}};
    return to;
}

/// Acks what it gets.
class acking final : public mq::wire_events {
public:
    explicit acking(mq::wire& at) : at_{at} {}
    std::byte* begins(const mq::arrival& head) override {
        tag_ = head.tag;
        body_.resize(head.body_size);
        return body_.data();
    }
    void arrived() override {
        at_.ack(1, tag_, false);
        ++seen;
    }
    void returned(const mq::returned_message& /*what*/) override {}
    void confirmed(mq::channel_id /*channel*/, std::uint64_t /*tag*/, bool /*multiple*/,
                   bool taken) override {
        confirms += taken ? 1 : 0;
    }
    void cancelled(mq::channel_id /*channel*/, std::string_view /*consumer*/) override {}
    void channel_closed(mq::channel_id /*channel*/, const mq::refusal& /*why*/) override {}
    void blocked(std::string_view /*reason*/) override {}

    int seen = 0;
    int confirms = 0;

private:
    mq::wire& at_;
    std::uint64_t tag_ = 0;
    std::vector<std::byte> body_;
};

TEST_CASE("publishers and consumers on threads of their own: each message once, each confirmed") {
    const mq::fake_server server{"amqp://127.0.0.1:5672", {.time = waybill::real_clock()}};
    const auto connector = mq::the_stand_in().load()(here(), waybill::real_clock(), false);
    std::atomic<int> seen{0};
    std::atomic<int> confirmed{0};
    {
        const auto first = connector->open("declares").value();
        first->open_channel(1).value();
        first->declare(1, mq::queue_spec{"q", true, false, false, {}}, false).value();
    }
    std::vector<std::unique_ptr<mq::wire>> readers;
    for (int each = 0; each < 2; ++each) readers.push_back(connector->open("reads").value());
    std::vector<std::jthread> threads;
    for (const auto& wire : readers) {
        threads.emplace_back([&, at = wire.get()] {
            at->open_channel(1).value();
            at->prefetch(1, 10).value();
            at->consume(1, "q", "c", false, {}).value();
            acking events{*at};
            while (seen < publishers * each_publishes) {
                const auto before = events.seen;
                at->read(events).value();
                seen += events.seen - before;
                if (events.seen == before) at->wait(1h);
            }
            for (const auto& other : readers) other->wake();
        });
    }
    for (int each = 0; each < publishers; ++each) {
        threads.emplace_back([&] {
            const auto at = connector->open("publishes").value();
            at->open_channel(1).value();
            at->select_confirms(1).value();
            acking events{*at};
            for (int number = 0; number < each_publishes; ++number)
                at->publish(1, {"", "q", {}, {}, true});
            while (events.confirms < each_publishes) {
                if (!at->read(events).value()) at->wait(std::nullopt);
            }
            confirmed += events.confirms;
        });
    }
    threads.clear();
    CHECK(seen == publishers * each_publishes);
    CHECK(confirmed == publishers * each_publishes);
    CHECK(server.queued("q") == 0);
    CHECK(server.unsettled() == 0);
}

TEST_CASE("on a clock that runs, what waits comes back to a client that waits for it") {
    const mq::fake_server server{"amqp://127.0.0.1:5672", {.time = waybill::real_clock()}};
    const auto connector = mq::the_stand_in().load()(here(), waybill::real_clock(), false);
    const auto at = connector->open("reads").value();
    at->open_channel(1).value();
    at->declare(1, mq::queue_spec{"q", true, false, false, {}}, false).value();
    at->declare(1,
                mq::queue_spec{"wait",
                               true,
                               false,
                               false,
                               {{"x-message-ttl", 20},
                                {"x-dead-letter-exchange", ""},
                                {"x-dead-letter-routing-key", "q"}}},
                false)
        .value();
    at->consume(1, "q", "c", false, {}).value();
    const auto begun = std::chrono::steady_clock::now();
    server.publish("wait", "x");
    acking events{*at};
    while (events.seen == 0) {
        at->wait(1h);
        at->read(events).value();
    }
    CHECK(std::chrono::steady_clock::now() - begun >= 20ms);
}

}  // namespace mq_threads_test
