#include "dispatch/pool.hpp"

#include <pthread.h>

#include <utility>

namespace waybill::dispatch {

void runnable::schedule() noexcept {
    const auto seen = phase_.load(std::memory_order_acquire);
    if (seen == phase::queued || seen == phase::running_again) return;
    pool_->push(*this);
}

pool::~pool() { join(); }

void pool::start(std::size_t threads, const std::shared_ptr<void>& keep) {
    for (std::size_t at = 0; at < threads; ++at) {
        threads_.emplace_back([this, keep] {
            pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
            work();
        });
    }
}

void pool::end() noexcept {
    const std::lock_guard lock{mutex_};
    ended_ = true;
    wake_.notify_all();
}

void pool::join() {
    end();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

void pool::abandon() {
    end();
    for (auto& thread : threads_) thread.detach();
    threads_.clear();
}

void pool::push(runnable& lane) noexcept {
    using phase = runnable::phase;
    bool wakes = false;
    {
        const std::lock_guard lock{mutex_};
        const auto seen = lane.phase_.load(std::memory_order_relaxed);
        if (seen == phase::running) lane.phase_.store(phase::running_again);
        if (seen != phase::idle) return;
        lane.phase_.store(phase::queued, std::memory_order_release);
        lane.next_ = nullptr;
        *last_ = &lane;
        last_ = &lane.next_;
        wakes = sleeping_ != 0;
    }
    if (wakes) wake_.notify_one();
}

runnable* pool::pop() noexcept {
    auto* lane = first_;
    if (lane == nullptr) return nullptr;
    first_ = lane->next_;
    if (first_ == nullptr) last_ = &first_;
    lane->phase_.store(runnable::phase::running, std::memory_order_release);
    return lane;
}

void pool::run(runnable& lane) noexcept {
    using phase = runnable::phase;
    const bool more = lane.turn();
    const std::lock_guard lock{mutex_};
    const auto seen = lane.phase_.load(std::memory_order_relaxed);
    if (!more && seen == phase::running) {
        lane.phase_.store(phase::idle, std::memory_order_release);
        return;
    }
    lane.phase_.store(phase::queued, std::memory_order_release);
    lane.next_ = nullptr;
    *last_ = &lane;
    last_ = &lane.next_;
}

bool pool::run_one() noexcept {
    runnable* lane = nullptr;
    {
        const std::lock_guard lock{mutex_};
        lane = pop();
    }
    if (lane == nullptr) return false;
    run(*lane);
    return true;
}

void pool::work() noexcept {
    while (true) {
        runnable* lane = nullptr;
        {
            std::unique_lock lock{mutex_};
            ++sleeping_;
            wake_.wait(lock, [&] { return ended_ || first_ != nullptr; });
            --sleeping_;
            if (ended_) return;
            lane = pop();
        }
        run(*lane);
    }
}

}  // namespace waybill::dispatch
