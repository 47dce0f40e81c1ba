// A producer that is ten times as fast as the handler, for a minute: the bounded address makes it
// wait, so the memory stays what it was, and nothing is lost.
//
// overload [SECONDS [LIMIT]]: prints the resident memory after a sixth of the time and at its end;
// the exit code is 1 when it has grown by more than a tenth, or a message is missing. A LIMIT of 0
// shows what happens without one.
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto handling = 1ms;
constexpr int faster = 10;
constexpr std::size_t message_bytes = 1024;

std::size_t resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    std::size_t all = 0;
    std::size_t resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct totals {
    std::atomic<std::uint64_t> published{0};
    std::atomic<std::uint64_t> handled{0};
    std::atomic<std::uint64_t> out_of_order{0};
};

/// Publishes ten messages in the time of one, for as long as it is told, and as it is let.
void produce(const waybill::publisher& to, steady_clock::time_point end, totals& all) {
    std::vector<std::byte> message(message_bytes);
    for (auto next = steady_clock::now(); next < end; next = std::max(next, steady_clock::now())) {
        for (int each = 0; each < faster && steady_clock::now() < end; ++each) {
            const auto number = all.published.load();
            std::memcpy(message.data(), &number, sizeof number);
            if (!to.publish("orders", std::span<const std::byte>{message})) return;
            all.published.store(number + 1);
        }
        next += handling;
        std::this_thread::sleep_until(next);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::chrono::seconds span{argc > 1 ? std::atoi(argv[1]) : 60};
    const auto limit = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 1000);
    const waybill::memory::server server{{.limit = {.messages = limit}}};
    totals all;
    waybill::app app{"overload", "1"};
    app.log_to([](std::string_view) {});
    auto& broker = app.broker(waybill::memory::broker{server});
    broker.subscribe(waybill::memory::queue("orders"), [&](std::span<const std::byte> payload) {
        std::uint64_t number = 0;
        std::memcpy(&number, payload.data(), sizeof number);
        if (number != all.handled.load()) all.out_of_order.fetch_add(1);
        all.handled.fetch_add(1);
        std::this_thread::sleep_for(handling);
    });
    if (!app.start()) return 1;
    const auto begin = steady_clock::now();
    std::thread producer{[&] { produce(broker.publisher(), begin + span, all); }};
    std::this_thread::sleep_until(begin + span / 6);
    const auto early = resident_bytes();
    producer.join();
    const auto late = resident_bytes();
    app.stop();

    const auto left = server.queued("orders");
    const auto published = all.published.load();
    const auto handled = all.handled.load();
    const auto growth = static_cast<double>(late) / static_cast<double>(early);
    std::printf(
        "{\"seconds\": %lld, \"limit\": %zu, \"published\": %llu, \"handled\": %llu, "
        "\"queued\": %zu, \"resident_early\": %zu, \"resident_late\": %zu, "
        "\"growth\": %.3f}\n",
        static_cast<long long>(span.count()), limit, static_cast<unsigned long long>(published),
        static_cast<unsigned long long>(handled), left, early, late, growth);
    const bool is_whole = published == handled + left && all.out_of_order == 0;
    if (!is_whole) {
        std::printf("Messages are missing, or %llu came out of order.\n",
                    static_cast<unsigned long long>(all.out_of_order.load()));
    }
    if (growth > 1.1) std::puts("The memory has grown by more than a tenth.");
    return is_whole && growth <= 1.1 ? 0 : 1;
}
