/// What it gives to hand messages over, and to settle them, in batches.
#include "exact/driven_app.hpp"
#include "table.hpp"
#include "wall/sections.hpp"

namespace bench {
namespace {

constexpr std::size_t round_size = 20'000;
constexpr int rounds = 21;

double nanoseconds_a_message(waybill::wiring::run_mode mode) {
    driven_app app;
    app.subscribe_orders([](payload) {});
    app.start(mode);
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        app.publish(small, round_size);
        const auto start = std::chrono::steady_clock::now();
        app.drain();
        times.push_back(seconds_since(start) * 1e9 / static_cast<double>(round_size));
    }
    return percentile(times, 50);
}

}  // namespace

void measure_hand_over() {
    print_heading("taken, handled and settled on one thread, raw 28 B");
    print_figure("one at a time", nanoseconds_a_message(waybill::wiring::run_mode::one_by_one),
                 "ns/message");
    print_figure("in batches of up to 64",
                 nanoseconds_a_message(waybill::wiring::run_mode::by_hand), "ns/message");
}

}  // namespace bench
