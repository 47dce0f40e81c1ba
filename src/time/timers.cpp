#include "time/timers.hpp"

namespace waybill::time {

void timers::arm(std::chrono::nanoseconds now, std::chrono::nanoseconds delay, timer_task& task) {
    bool is_earliest = false;
    {
        const std::lock_guard lock{mutex_};
        const auto before = wheel_.next_due();
        wheel_.arm(now, delay, &task);
        is_earliest = wheel_.next_due() != before;
    }
    if (is_earliest) earlier_();
}

std::optional<std::chrono::nanoseconds> timers::next_due() const {
    const std::lock_guard lock{mutex_};
    return wheel_.next_due();
}

std::size_t timers::fire_due(std::chrono::nanoseconds now, std::size_t limit) {
    std::vector<timer_task*> due;
    {
        const std::lock_guard lock{mutex_};
        due.swap(due_);
        wheel_.expire(
            now, [&](void* item) { due.push_back(static_cast<timer_task*>(item)); }, limit);
    }
    for (auto* task : due) task->fire();
    const auto fired = due.size();
    due.clear();
    const std::lock_guard lock{mutex_};
    due_.swap(due);
    return fired;
}

void timers::drain() {
    const std::lock_guard lock{mutex_};
    wheel_.drain([](void*) {});
}

std::size_t timers::waiting() const {
    const std::lock_guard lock{mutex_};
    return wheel_.size();
}

}  // namespace waybill::time
