#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace memory_threads_test {

using waybill::outcome;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

constexpr std::size_t publishers = 3;
constexpr std::size_t each_publishes = 400;
constexpr std::size_t total = publishers * each_publishes;

/// Which messages were acked, and a latch that opens when all were.
struct ledger {
    std::array<std::atomic<int>, total> acked{};
    std::array<std::atomic<int>, total> seen{};
    std::latch all{static_cast<std::ptrdiff_t>(total)};

    outcome handle(std::span<const std::byte> payload) {
        std::uint32_t number = 0;
        std::memcpy(&number, payload.data(), sizeof number);
        const auto time = seen[number].fetch_add(1);
        if (number % 5 == 0 && time == 0) return waybill::retry();
        if (number % 7 == 0 && time == 0) return waybill::retry_after(1ms);
        if (number % 11 == 0 && time == 0) throw std::runtime_error("once");
        acked[number].fetch_add(1);
        all.count_down();
        return waybill::ack();
    }
};

void publish_all(const waybill::publisher& to, std::size_t from) {
    for (std::uint32_t each = 0; each < each_publishes; ++each) {
        const auto number = static_cast<std::uint32_t>(from * each_publishes + each);
        const auto sent = to.publish("orders", std::as_bytes(std::span{&number, 1}));
        REQUIRE(sent.has_value());
    }
}

void run(const options& how, std::int64_t lanes, std::int64_t workers, bool in_line) {
    const server at{how};
    ledger kept;
    waybill::app app{"shop", "1"};
    app.log_to([](std::string_view) {});
    if (workers != 0) app.workers(workers);
    auto& broker = app.broker(waybill::memory::broker{at});
    auto& reads = broker.subscribe(
        queue("orders"), [&](std::span<const std::byte> payload) { return kept.handle(payload); });
    reads.max_attempts(5).dead_letter("orders.dead").concurrency(lanes);
    if (in_line) reads.inline_handler();
    const auto started = app.start();
    REQUIRE(started.has_value());

    std::vector<std::thread> threads;
    for (std::size_t from = 0; from < publishers; ++from) {
        threads.emplace_back([&, from] { publish_all(broker.publisher(), from); });
    }
    for (auto& thread : threads) thread.join();
    kept.all.wait();
    CHECK(app.stop());

    std::size_t wrong = 0;
    for (const auto& count : kept.acked) wrong += count != 1 ? 1 : 0;
    CHECK(wrong == 0);
    CHECK(at.queued("orders") == 0);
    CHECK(at.queued("orders.dead") == 0);
    CHECK(at.unsettled() == 0);
    CHECK(at.waiting() == 0);
}

TEST_CASE("publishers and lanes on threads: every message is acked exactly once") {
    SUBCASE("one lane") { run({}, 1, 0, false); }
    SUBCASE("four lanes with a thread each") { run({}, 4, 0, false); }
    SUBCASE("four lanes on two threads") { run({}, 4, 2, false); }
    SUBCASE("on the reading thread") { run({}, 1, 0, true); }
    SUBCASE("by copies") {
        run({.counts = waybill::memory::counting::none, .delays = false}, 3, 0, false);
    }
}

TEST_CASE("two apps that compete on one server share the messages and lose none") {
    const server at;
    ledger kept;
    std::vector<waybill::app> apps;
    std::vector<waybill::publisher> ways;
    for (int each = 0; each < 2; ++each) {
        auto& app = apps.emplace_back("shop", "1");
        app.log_to([](std::string_view) {});
        auto& broker = app.broker(waybill::memory::broker{at});
        broker
            .subscribe(queue("orders"),
                       [&](std::span<const std::byte> payload) { return kept.handle(payload); })
            .concurrency(2);
        ways.push_back(broker.publisher());
        REQUIRE(app.start().has_value());
    }
    std::vector<std::thread> threads;
    for (std::size_t from = 0; from < publishers; ++from) {
        threads.emplace_back([&, from] { publish_all(ways[from % 2], from); });
    }
    for (auto& thread : threads) thread.join();
    kept.all.wait();
    for (auto& app : apps) CHECK(app.stop());
    std::size_t wrong = 0;
    for (const auto& count : kept.acked) wrong += count != 1 ? 1 : 0;
    CHECK(wrong == 0);
    CHECK(at.unsettled() == 0);
}

TEST_CASE("a handler that outlasts the stop's limit has its delivery given back, unharmed") {
    const server at;
    std::latch inside{1};
    std::latch leave{1};
    std::latch left{1};
    {
        waybill::app app{"shop", "1"};
        app.log_to([](std::string_view) {});
        app.stop_limit(0s);
        app.broker(waybill::memory::broker{at})
            .subscribe(queue("orders"), [&](std::span<const std::byte> payload) {
                if (payload.size() != 1) return waybill::ack();
                inside.count_down();
                leave.wait();
                CHECK(std::to_integer<char>(payload[0]) == 'a');
                left.count_down();
                return waybill::ack();
            });
        REQUIRE(app.start().has_value());
        REQUIRE(at.publish("orders", "a"));
        inside.wait();
        REQUIRE(at.publish("orders", "b2"));
        CHECK_FALSE(app.stop());
        CHECK(at.queued("orders") == 2);
        CHECK(at.unsettled() == 0);
    }
    leave.count_down();
    left.wait();
    CHECK(at.queued("orders") == 2);
}

}  // namespace memory_threads_test
