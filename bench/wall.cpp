/// Rates on this machine, by the clock on the wall: for a look, never for a gate. Exact costs are
/// in exact.cpp.
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

struct payment {
    std::uint64_t order;
    std::uint64_t cents;
};

constexpr std::string_view payload = R"({"order":1234567,"cents":49})";
constexpr std::uint64_t round_length = 10'000;

/// A running app with the production threads, and how many messages its handlers have seen.
class running_app {
public:
    running_app(std::int64_t lanes, bool decodes) : app_{"bench", "1"} {
        app_.log_level(waybill::log_level::off);
        auto& broker = app_.broker(waybill::memory::broker{});
        const auto from = waybill::memory::queue("orders.requested");
        auto& declared = decodes ? broker.subscribe(from,
                                                    [this](const payment& received) {
                                                        benchmark::DoNotOptimize(received.cents);
                                                        count();
                                                    })
                                 : broker.subscribe(from, [this](std::span<const std::byte> raw) {
                                       benchmark::DoNotOptimize(raw.size());
                                       count();
                                   });
        declared.max_attempts(5).dead_letter("orders.dead").concurrency(lanes);
        if (!app_.start()) std::abort();
        to_.emplace(broker.publisher());
    }

    void publish_round() {
        for (std::uint64_t at = 0; at < round_length; ++at) {
            if (!to_->publish("orders.requested", std::as_bytes(std::span{payload}))) std::abort();
        }
        sent_ += round_length;
    }
    void wait_until_handled() {
        for (auto seen = handled_.load(); seen < sent_; seen = handled_.load()) {
            handled_.wait(seen);
        }
    }

private:
    void count() {
        const auto now = handled_.fetch_add(1, std::memory_order_relaxed) + 1;
        if (now % round_length == 0) handled_.notify_all();
    }

    std::atomic<std::uint64_t> handled_{0};
    std::uint64_t sent_ = 0;
    waybill::app app_;
    std::optional<waybill::publisher> to_;
};

/// Publish on one thread, handle on others: messages a second through the whole path.
void publish_and_handle(benchmark::State& state) {
    running_app app{state.range(0), state.range(1) != 0};
    for ([[maybe_unused]] auto round : state) {
        app.publish_round();
        app.wait_until_handled();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * round_length));
}
BENCHMARK(publish_and_handle)
    ->ArgNames({"lanes", "json"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
