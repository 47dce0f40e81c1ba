/// What it costs to arm and to expire a timer, with 10^4 and with 10^6 waiting.
///
///     timers [rounds]
///
/// Items are 128-byte blocks that are written when they are armed and read when they fire, like the
/// slab of a delay store. Each line is the best of the rounds, in nanoseconds a timer.
#include "time/timer_wheel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

struct alignas(64) block {
    std::uint64_t value[16];
};

struct figures {
    double arm = 1e9;
    double expire = 1e9;
    double bytes = 0;
};

double since(std::chrono::steady_clock::time_point start, std::size_t count) {
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / static_cast<double>(count);
}

/// `delays` are armed a microsecond apart, then time passes in steps of `step` at least until all
/// have fired.
figures measure(const std::vector<nanoseconds>& delays, nanoseconds step, int rounds) {
    std::vector<block> blocks(delays.size());
    figures best;
    std::uint64_t sum = 0;
    for (int round = 0; round < rounds; ++round) {
        waybill::timer_wheel wheel;
        nanoseconds now{1h};
        auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < delays.size(); ++i) {
            blocks[i].value[0] = i;
            wheel.arm(now += 1us, delays[i], &blocks[i]);
        }
        best.arm = std::min(best.arm, since(start, delays.size()));
        best.bytes = static_cast<double>(wheel.bytes()) / static_cast<double>(delays.size());
        start = std::chrono::steady_clock::now();
        while (const auto next = wheel.next_due()) {
            now = std::max(now + step, *next);
            wheel.expire(now, [&](void* item) { sum += static_cast<block*>(item)->value[0]; });
        }
        best.expire = std::min(best.expire, since(start, delays.size()));
    }
    if (sum == 1) std::puts("");
    return best;
}

/// Each timer that fires is armed again with another delay: the queue stays `count` long.
double measure_steady(std::size_t count, nanoseconds shortest, nanoseconds longest, int rounds) {
    std::vector<block> blocks(count);
    std::mt19937_64 random{7};
    std::uniform_int_distribution<std::int64_t> pick{shortest.count(), longest.count()};
    std::vector<nanoseconds> delays(1 << 20);
    for (auto& d : delays) d = nanoseconds{pick(random)};
    waybill::timer_wheel wheel;
    nanoseconds now{0};
    std::size_t next = 0;
    for (auto& b : blocks) wheel.arm(now, delays[next++ % delays.size()], &b);
    std::vector<void*> fired;
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        std::size_t cycles = 0;
        const auto start = std::chrono::steady_clock::now();
        while (cycles < count) {
            now = *wheel.next_due();
            fired.clear();
            cycles += wheel.expire(now, [&](void* item) { fired.push_back(item); });
            for (void* item : fired) wheel.arm(now, delays[next++ % delays.size()], item);
        }
        best = std::min(best, since(start, cycles));
    }
    return best;
}

void print(const char* name, std::size_t count, const figures& f) {
    std::printf("%-34s %8zu  arm %6.1f  expire %6.1f  sum %6.1f  bytes %6.1f\n", name, count, f.arm,
                f.expire, f.arm + f.expire, f.bytes);
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    for (const std::size_t count : {std::size_t{10'000}, std::size_t{1'000'000}}) {
        const int repeat = rounds * (count < 100'000 ? 20 : 1);
        std::mt19937_64 random{1};
        std::vector<nanoseconds> delays(count, 30s);
        print("constant 30 s, steps of 1 ms", count, measure(delays, 1ms, repeat));
        for (auto& d : delays) d = 10s * static_cast<int>(1 + random() % 8);
        print("eight constants, steps of 1 ms", count, measure(delays, 1ms, repeat));
        std::uniform_int_distribution<std::int64_t> hour{nanoseconds{1s}.count(),
                                                         nanoseconds{1h}.count()};
        for (auto& d : delays) d = nanoseconds{hour(random)};
        print("random 1 s..1 h, steps of 10 ms", count, measure(delays, 10ms, repeat));
        print("random 1 s..1 h, one jump", count, measure(delays, 2h, repeat));
        for (auto& d : delays) d = 1ms * (1000 + static_cast<int>(random() % 3'599'000));
        print("random whole ms, one jump", count, measure(delays, 2h, repeat));
        std::uniform_int_distribution<std::int64_t> second{1, nanoseconds{1s}.count()};
        for (auto& d : delays) d = nanoseconds{second(random)};
        print("random 0..1 s, one jump", count, measure(delays, 2s, repeat));
        std::printf("%-34s %8zu  cycle %6.1f\n", "steady, random 1 s..1 h", count,
                    measure_steady(count, 1s, 1h, repeat));
        std::printf("%-34s %8zu  cycle %6.1f\n", "steady, random 1 ms..30 s", count,
                    measure_steady(count, 1ms, 30s, repeat));
    }
}
