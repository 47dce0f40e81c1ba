#include "dispatch/subscription.hpp"

#include "dispatch/lane.hpp"

#include <algorithm>

namespace waybill::dispatch {

subscription::subscription(equipment with, std::function<void()> quiet)
    : with_{std::move(with)}, quiet_{std::move(quiet)} {}

// The server may call `ready` until the consumer is gone, and then the lanes must still be there.
subscription::~subscription() { consumer_.reset(); }

void subscription::open(std::unique_ptr<detail::consumer> reads, const std::vector<pool*>& pools) {
    consumer_ = std::move(reads);
    shared.consumer = consumer_.get();
    generation_.store(consumer_->generation(), std::memory_order_relaxed);
    for (auto* on : pools) {
        lanes_.push_back(std::make_unique<lane>(*this, *on));
    }
    lanes_run_.store(true);
    wake_all();
}

void subscription::ready() noexcept {
    if (asleep_count_.load() == 0) return;
    lane* woken = nullptr;
    {
        const std::lock_guard lock{mutex_};
        if (asleep_.empty()) return;
        woken = asleep_.back();
        asleep_.pop_back();
        asleep_count_.store(asleep_.size());
        woken->asleep_ = false;
    }
    woken->schedule();
}

bool subscription::sleep(lane& sleeper) noexcept {
    {
        const std::lock_guard lock{mutex_};
        if (!sleeper.asleep_) {
            sleeper.asleep_ = true;
            asleep_.push_back(&sleeper);
            asleep_count_.store(asleep_.size());
        }
    }
    // What arrived between the lane's look and its falling asleep woke nobody.
    if (consumer_->available() == 0) return false;
    const std::lock_guard lock{mutex_};
    if (!sleeper.asleep_) return false;  // woken meanwhile, so scheduled
    take_off_list(sleeper);
    return true;
}

void subscription::awake(lane& riser) noexcept {
    const std::lock_guard lock{mutex_};
    if (riser.asleep_) take_off_list(riser);
}

void subscription::take_off_list(lane& riser) noexcept {
    riser.asleep_ = false;
    std::erase(asleep_, &riser);
    asleep_count_.store(asleep_.size());
}

void subscription::wake_all() noexcept {
    for (const auto& each : lanes_) each->schedule();
}

void subscription::open_window(std::uint64_t generation) noexcept {
    {
        const std::lock_guard lock{mutex_};
        if (generation != generation_.load(std::memory_order_relaxed)) return;
        window_open_.store(true, std::memory_order_relaxed);
        is_open_.store(!gives_back(), std::memory_order_relaxed);
    }
    consumer_->widen(generation, detail::consumer::whole_window);
    wake_all();
}

void subscription::reconnected() noexcept {
    if (lanes_run_.load()) wake_all();
}

bool subscription::close_window(std::uint64_t generation) noexcept {
    {
        const std::lock_guard lock{mutex_};
        if (generation <= generation_.load(std::memory_order_relaxed)) return false;
        generation_.store(generation, std::memory_order_relaxed);
        window_open_.store(false, std::memory_order_relaxed);
        is_open_.store(false, std::memory_order_relaxed);
        alone_.store(nullptr);
    }
    // Any lane may have been woken, but only one may take now.
    wake_all();
    return true;
}

void subscription::stop() noexcept {
    stopping_.store(true, std::memory_order_relaxed);
    if (consumer_) consumer_->cancel();
    wake_all();
}

bool subscription::is_quiet() const noexcept {
    return std::ranges::all_of(lanes_, [](const auto& each) { return each->is_quiet(); });
}

std::size_t subscription::busy_lanes() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(lanes_, [](const auto& each) { return !each->is_quiet(); }));
}

}  // namespace waybill::dispatch
