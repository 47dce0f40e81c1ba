/// How late what waited comes back; never early.
#include "exact/driven_app.hpp"
#include "table.hpp"
#include "wall/sections.hpp"

#include <atomic>
#include <random>

namespace bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::size_t messages = 2'000;
constexpr auto shortest = 10ms;
constexpr auto longest = 2s;

/// Each message waits once, for a time of its own; the handler knows when it asked for that.
class waiters {
public:
    waiters() : waits_(messages) {
        std::mt19937_64 random{1};
        constexpr auto width = static_cast<std::uint64_t>(nanoseconds{longest - shortest}.count());
        for (auto& each : waits_) {
            each.delay = shortest + nanoseconds{static_cast<std::int64_t>(random() % width)};
        }
    }
    waybill::outcome handle(payload bytes) {
        std::size_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        auto& mine = waits_[number];
        const auto now = steady_clock::now();
        if (mine.asked_at == steady_clock::time_point{}) {
            mine.asked_at = now;
            return waybill::retry_after(mine.delay);
        }
        mine.late = now - mine.asked_at - mine.delay;
        if (back_.fetch_add(1) + 1 == messages) back_.notify_one();
        return waybill::ack();
    }
    std::vector<double> wait_for_all() {
        for (auto seen = back_.load(); seen != messages; seen = back_.load()) back_.wait(seen);
        std::vector<double> late;
        for (const auto& each : waits_)
            late.push_back(static_cast<double>(each.late.count()) / 1e3);
        return late;
    }

private:
    struct wait {
        nanoseconds delay{0};
        steady_clock::time_point asked_at{};
        nanoseconds late{0};
    };
    std::vector<wait> waits_;
    std::atomic<std::size_t> back_{0};
};

void measure(const std::string& where, waybill::memory::options how) {
    waiters all;
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::off);
    auto& broker = app.broker(waybill::memory::broker{how});
    broker
        .subscribe(waybill::memory::queue("waits"),
                   [&](payload bytes) { return all.handle(bytes); })
        .max_attempts(5)
        .dead_letter("waits.dead");
    if (!app.start()) std::abort();
    const auto to = broker.publisher();
    for (std::size_t at = 0; at < messages; ++at) {
        if (!to.publish("waits", std::as_bytes(std::span{&at, 1}))) std::abort();
    }
    auto late = all.wait_for_all();
    app.stop();
    const auto early =
        std::count_if(late.begin(), late.end(), [](double each) { return each < 0; });
    print_figure(where + ", p50", percentile(late, 50), "us", 1'000);
    print_figure(where + ", p99", percentile(late, 99), "us");
    print_figure(where + ", early", static_cast<double>(early), "messages", 0);
}

}  // namespace

void measure_lateness() {
    print_heading("how late 2,000 waits of 10 ms to 2 s end");
    measure("in the memory server", {});
    measure("as copies in the app's delay store",
            {.counts = waybill::memory::counting::none, .delays = false});
}

}  // namespace bench
