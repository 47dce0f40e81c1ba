#include "time/timers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <vector>

using namespace std::chrono_literals;

namespace timers_test {

using std::chrono::nanoseconds;
using waybill::time::timer_task;
using waybill::time::timers;

struct task final : timer_task {
    void fire() noexcept override { ++fired; }
    int fired = 0;
};

TEST_CASE("one wake-up is armed for a million waits, and another only for one that is due before") {
    int armed = 0;
    timers all{[&] { ++armed; }};
    std::vector<task> tasks(1'000'000);
    nanoseconds now{0};
    for (auto& each : tasks) all.arm(now += 1us, 30s, each);
    CHECK(armed == 1);
    CHECK(all.waiting() == tasks.size());
    CHECK(all.next_due() == 1us + 30s);

    task sooner;
    all.arm(now, 1s, sooner);
    CHECK(armed == 2);
    CHECK(all.next_due() == now + 1s);

    CHECK(all.fire_due(now + 1s - 1ns, tasks.size()) == 0);
    CHECK(all.fire_due(now + 30s, 2 * tasks.size()) == tasks.size() + 1);
    CHECK(sooner.fired == 1);
    CHECK(std::ranges::all_of(tasks, [](const task& each) { return each.fired == 1; }));
    CHECK_FALSE(all.next_due().has_value());
}

}  // namespace timers_test
