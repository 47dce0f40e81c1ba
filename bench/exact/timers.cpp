/// The timer wheel alone: so many are armed a microsecond apart, then time passes in steps until
/// all have fired.
#include "exact/cases.hpp"
#include "time/timer_wheel.hpp"

#include <chrono>
#include <random>
#include <vector>

namespace bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

std::vector<nanoseconds> constant_delays(std::size_t count) { return {count, nanoseconds{30s}}; }

/// Between a second and an hour, to the nanosecond.
std::vector<nanoseconds> random_delays(std::size_t count) {
    std::mt19937_64 random{1};
    constexpr auto width = static_cast<std::uint64_t>(nanoseconds{1h - 1s}.count());
    std::vector<nanoseconds> delays(count);
    for (auto& each : delays) each = 1s + nanoseconds{static_cast<std::int64_t>(random() % width)};
    return delays;
}

enum class part { arm, expire };

void run(part measured, const std::vector<nanoseconds>& delays, nanoseconds step, meter* reads) {
    waybill::timer_wheel wheel;
    std::vector<std::uint64_t> items(delays.size());
    nanoseconds now{1h};
    if (reads != nullptr && measured == part::arm) reads->begin();
    for (std::size_t at = 0; at < delays.size(); ++at) {
        wheel.arm(now += 1us, delays[at], &items[at]);
    }
    if (reads != nullptr && measured == part::arm) reads->end();
    if (reads != nullptr && measured == part::expire) reads->begin();
    while (const auto next = wheel.next_due()) {
        now = std::max(now + step, *next);
        wheel.expire(now, [&](void* item) { ++*static_cast<std::uint64_t*>(item); });
    }
    if (reads != nullptr && measured == part::expire) reads->end();
    for (const auto fired : items) {
        if (fired != 1) std::abort();
    }
}

void add(case_table& cases, const std::string& name, std::size_t waiting,
         std::vector<nanoseconds> (*delays_of)(std::size_t), nanoseconds step) {
    for (const auto measured : {part::arm, part::expire}) {
        const std::string verb = measured == part::arm ? "arm" : "expire";
        cases["timers." + verb + '_' + name] = [=](std::size_t count, meter& reads) {
            const auto delays = delays_of(waiting);
            run(measured, delays, step, nullptr);
            for (std::size_t done = 0; done < count; done += waiting) {
                run(measured, delays, step, &reads);
            }
        };
    }
}

}  // namespace

void add_timer_cases(case_table& cases) {
    add(cases, "constant_10k", 10'000, constant_delays, 1ms);
    add(cases, "constant_1m", 1'000'000, constant_delays, 1ms);
    add(cases, "random_10k", 10'000, random_delays, 10ms);
    add(cases, "random_1m", 1'000'000, random_delays, 10ms);
}

}  // namespace bench
