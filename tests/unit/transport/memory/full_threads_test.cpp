// Publishers on threads and an address that is full: they wait, lose nothing, and a stop wakes
// them.
#include "tally.hpp"
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace full_threads_test {

using waybill::memory::limits;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;
using waybill::test::gate;
using waybill::test::tally;

std::span<const std::byte> bytes_of(const std::uint32_t& number) {
    return std::as_bytes(std::span{&number, 1});
}

TEST_CASE("publishers wait for room, nothing is lost, and the address never holds too much") {
    constexpr std::size_t publishers = 3;
    constexpr std::uint32_t each_publishes = 2000;
    constexpr std::size_t most = 10;
    constexpr auto total = publishers * each_publishes;
    for (const std::int64_t lanes : {1, 3}) {
        CAPTURE(lanes);
        const server at{options{.limit = {.messages = most}}};
        std::vector<std::atomic<int>> seen(total);
        std::atomic<std::size_t> fullest{0};
        tally handled;
        waybill::app app{"shop", "1"};
        app.log_to([](std::string_view) {});
        auto& broker = app.broker(waybill::memory::broker{at});
        broker
            .subscribe(queue("orders"),
                       [&](std::span<const std::byte> payload, waybill::attempt number) {
                           std::uint32_t id = 0;
                           std::memcpy(&id, payload.data(), sizeof id);
                           const auto held = at.queued("orders");
                           auto known = fullest.load();
                           while (known < held && !fullest.compare_exchange_weak(known, held)) {
                           }
                           if (id % 5 == 0 && number == 1) return waybill::retry();
                           seen[id].fetch_add(1);
                           handled.add();
                           return waybill::ack();
                       })
            .concurrency(lanes);
        REQUIRE(app.start().has_value());
        std::vector<std::thread> threads;
        std::atomic<std::size_t> failed{0};
        for (std::uint32_t from = 0; from < publishers; ++from) {
            threads.emplace_back([&, from, to = broker.publisher()] {
                for (std::uint32_t one = 0; one < each_publishes; ++one) {
                    const std::uint32_t id = from * each_publishes + one;
                    // One of them is outside of the app.
                    const auto sent = from == 0 ? at.publish("orders", bytes_of(id))
                                                : to.publish("orders", bytes_of(id));
                    if (!sent) failed.fetch_add(1);
                }
            });
        }
        for (auto& thread : threads) thread.join();
        CHECK(handled.reaches(total));
        CHECK(app.stop());
        CHECK(failed == 0);
        CHECK(fullest <= most);
        std::size_t wrong = 0;
        for (const auto& count : seen) wrong += count != 1 ? 1 : 0;
        CHECK(wrong == 0);
        CHECK(at.queued("orders") == 0);
        CHECK(at.unsettled() == 0);
    }
}

TEST_CASE("a stop wakes every publisher that waits, with an error; what was taken is still there") {
    const server at{options{.limit = {.messages = 2}}};
    gate leave;
    tally taken;
    tally ended;
    tally handled;
    waybill::app app{"shop", "1"};
    app.log_to([](std::string_view) {});
    auto& broker = app.broker(waybill::memory::broker{at});
    broker.subscribe(queue("orders"), [&](std::span<const std::byte>) {
        leave.wait();
        handled.add();
    });
    REQUIRE(app.start().has_value());
    std::vector<std::thread> publishers;
    std::atomic<std::size_t> stopped{0};
    for (std::uint32_t from = 0; from < 3; ++from) {
        publishers.emplace_back([&, from, to = broker.publisher()] {
            while (true) {
                const auto sent =
                    from == 0 ? at.publish("orders", "x") : to.publish("orders", bytes_of(from));
                if (sent) {
                    taken.add();
                    continue;
                }
                const auto code = sent.error().code;
                // The one outside may come when no app is left that could make room.
                const bool is_outside = from == 0 && code == waybill::errc::publish;
                if (code == waybill::errc::stopped || is_outside) stopped.fetch_add(1);
                ended.add();
                return;
            }
        });
    }
    REQUIRE(taken.reaches(2));
    bool in_time = false;
    std::thread stopper{[&] { in_time = app.stop(); }};
    // Those of the app end while its handler still runs; the one outside when the app is gone.
    CHECK(ended.reaches(2));
    leave.open();
    stopper.join();
    CHECK(in_time);
    CHECK(ended.reaches(3));
    for (auto& thread : publishers) thread.join();
    CHECK(stopped == 3);
    CHECK(taken.count() == handled.count() + at.queued("orders"));
}

TEST_CASE("a handler that publishes to the full address that it reads goes on by staging") {
    const server at{options{.limit = {.messages = 4}}};
    tally handled;
    waybill::app app{"shop", "1"};
    app.log_to([](std::string_view) {});
    auto& broker = app.broker(waybill::memory::broker{at});
    broker.subscribe(queue("steps"),
                     [&](std::span<const std::byte> payload, waybill::context& context) {
                         if (payload.size() < 50) {
                             const std::vector<std::byte> longer(payload.size() + 1);
                             context.publish("steps", std::span<const std::byte>{longer});
                         }
                         handled.add();
                     });
    REQUIRE(app.start().has_value());
    for (int each = 0; each < 20; ++each) REQUIRE(broker.publisher().publish("steps", {}));
    CHECK(handled.reaches(20UZ * 51));
    CHECK(app.stop());
    CHECK(at.queued("steps") == 0);
}

}  // namespace full_threads_test
