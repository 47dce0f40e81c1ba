/// Messages a second through the whole path: one thread publishes, others handle.
#include "exact/driven_app.hpp"
#include "table.hpp"
#include "wall/sections.hpp"

#include <atomic>

namespace bench {
namespace {

constexpr std::uint64_t round_size = 20'000;
constexpr int rounds = 11;

/// Counts on any thread, and wakes who waits for a whole round.
class finish_line {
public:
    void count() {
        if ((handled_.fetch_add(1, std::memory_order_relaxed) + 1) % round_size == 0) {
            handled_.notify_all();
        }
    }
    void wait_for(std::uint64_t all) {
        for (auto seen = handled_.load(); seen < all; seen = handled_.load()) handled_.wait(seen);
    }

private:
    std::atomic<std::uint64_t> handled_{0};
};

/// As many queues as workers, each with a lane of its own.
template <class Handler>
void measure(const std::string& name, std::size_t workers, Handler make_handler) {
    finish_line handled;
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::off).workers(static_cast<std::int64_t>(workers));
    auto& broker = app.broker(waybill::memory::broker{});
    std::vector<std::string> queues;
    for (std::size_t at = 0; at < workers; ++at) {
        queues.push_back("orders." + std::to_string(at));
        broker.subscribe(waybill::memory::queue(queues.back()), make_handler(handled));
    }
    if (!app.start()) std::abort();
    const auto to = broker.publisher();
    std::vector<double> rates;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (std::uint64_t at = 0; at < round_size; ++at) {
            if (!to.publish(queues[at % workers], small)) std::abort();
        }
        handled.wait_for(round * round_size);
        rates.push_back(static_cast<double>(round_size) / seconds_since(start));
    }
    app.stop();
    print_figure(name, percentile(rates, 50), "messages/s");
}

auto raw_handler(finish_line& handled) {
    return [&handled](payload) { handled.count(); };
}
auto json_handler(finish_line& handled) {
    return [&handled](const payment&) { handled.count(); };
}

}  // namespace

void measure_rates() {
    print_heading("published by one thread, handled by others");
    measure("raw 28 B, one worker", 1, raw_handler);
    measure("raw 28 B, two workers", 2, raw_handler);
    measure("JSON 28 B, one worker", 1, json_handler);
    measure("JSON 28 B, two workers", 2, json_handler);
}

}  // namespace bench
