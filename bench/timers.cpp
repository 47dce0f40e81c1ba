/// What it costs to arm and to expire a timer, with 10^4 and with 10^6 waiting.
///
///     timers [rounds]
///
/// Items are 128-byte blocks that are written when they are armed and read when they fire, like the
/// slab of a delay store. A figure is the best of the rounds, for one timer. The last line of a
/// table says whether many random delays cost much more than few.
#include "table.hpp"
#include "time/timer_wheel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
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

/// Processor time of this thread: other programs disturb it little.
nanoseconds spent() {
    timespec so_far{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &so_far);
    return std::chrono::seconds{so_far.tv_sec} + nanoseconds{so_far.tv_nsec};
}

double since(nanoseconds start, std::size_t count) {
    return static_cast<double>((spent() - start).count()) / static_cast<double>(count);
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
        auto start = spent();
        for (std::size_t i = 0; i < delays.size(); ++i) {
            blocks[i].value[0] = i;
            wheel.arm(now += 1us, delays[i], &blocks[i]);
        }
        best.arm = std::min(best.arm, since(start, delays.size()));
        best.bytes = static_cast<double>(wheel.bytes()) / static_cast<double>(delays.size());
        start = spent();
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
        const auto start = spent();
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

constexpr double target = 75;

void print(const std::string& name, std::size_t count, const figures& f) {
    const auto named = name + ", " + bench::in_groups(static_cast<double>(count)) + ": ";
    bench::print_figure(named + "arm", f.arm, "ns", target);
    bench::print_figure(named + "expire", f.expire, "ns", target);
    bench::print_figure(named + "memory", f.bytes, "bytes");
}

std::vector<nanoseconds> random_delays(std::size_t count, nanoseconds shortest,
                                       nanoseconds longest) {
    std::mt19937_64 random{1};
    const auto width = static_cast<std::uint64_t>((longest - shortest).count());
    std::vector<nanoseconds> delays(count);
    for (auto& each : delays) {
        each = shortest + nanoseconds{static_cast<std::int64_t>(random() % width)};
    }
    return delays;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    double sum_of_few = 0;
    bench::print_heading("timers, best of the rounds");
    for (const std::size_t count : {std::size_t{10'000}, std::size_t{1'000'000}}) {
        const int repeat = rounds * (count < 100'000 ? 20 : 1);
        print("constant 30 s", count, measure({count, nanoseconds{30s}}, 1ms, repeat));
        std::vector<nanoseconds> eight(count);
        for (std::size_t at = 0; at < count; ++at) eight[at] = 10s * static_cast<int>(1 + at % 8);
        print("eight constants", count, measure(eight, 1ms, repeat));
        const auto random = measure(random_delays(count, 1s, 1h), 10ms, repeat);
        print("random 1 s to 1 h", count, random);
        print("random up to 1 s, in one jump", count,
              measure(random_delays(count, 1ns, 1s), 2s, repeat));
        bench::print_figure("random 1 s to 1 h, always so many, a cycle",
                            measure_steady(count, 1s, 1h, repeat), "ns");
        const double sum = random.arm + random.expire;
        if (sum_of_few == 0) {
            sum_of_few = sum;
        } else {
            bench::print_figure("random 1 s to 1 h, arm + expire at 1,000,000", sum, "ns",
                                2 * sum_of_few);
        }
    }
}
