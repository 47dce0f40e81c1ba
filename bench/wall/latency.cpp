/// From the publish to the first line of the handler, while little is to do: each message finds its
/// lane asleep.
#include "exact/driven_app.hpp"
#include "table.hpp"
#include "wall/sections.hpp"

#include <atomic>
#include <thread>

namespace bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t messages = 4'000;
constexpr auto pause = 500us;

struct sent {
    std::int64_t at;  ///< on the steady clock
};

}  // namespace

void measure_latency() {
    std::vector<double> took;
    took.reserve(messages);
    std::atomic<std::size_t> handled{0};
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::off);
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("pings"), [&](payload bytes) {
        sent ping{};
        std::memcpy(&ping, bytes.data(), sizeof ping);
        const auto now = steady_clock::now().time_since_epoch().count();
        took.push_back(static_cast<double>(now - ping.at) / 1e3);
        handled.fetch_add(1);
        handled.notify_one();
    });
    if (!app.start()) std::abort();
    const auto to = broker.publisher();
    for (std::size_t at = 0; at < messages; ++at) {
        std::this_thread::sleep_for(pause);
        const sent ping{steady_clock::now().time_since_epoch().count()};
        if (!to.publish("pings", std::as_bytes(std::span{&ping, 1}))) std::abort();
        for (auto seen = handled.load(); seen <= at; seen = handled.load()) handled.wait(seen);
    }
    app.stop();
    print_heading("from publish to handler, a message every 500 us");
    print_figure("p50", percentile(took, 50), "us");
    print_figure("p99", percentile(took, 99), "us");
}

}  // namespace bench
