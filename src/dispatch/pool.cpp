#include "dispatch/pool.hpp"

#include <pthread.h>

#include <utility>

namespace waybill::dispatch {

void runnable::schedule() noexcept {
    // Under the lock even when a turn is queued: one that begins just then must see what this
    // thread wrote before.
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
    // The lanes may go one by one from now on: none is reached through another.
    first_ = nullptr;
    last_ = &first_;
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
        if (ended_) return;
        if (lane.phase_ == phase::running) lane.phase_ = phase::running_again;
        if (lane.phase_ != phase::idle) return;
        lane.phase_ = phase::queued;
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
    lane->phase_ = runnable::phase::running;
    return lane;
}

void pool::run(runnable& lane) noexcept {
    using phase = runnable::phase;
    const bool more = lane.turn();
    const std::lock_guard lock{mutex_};
    if (ended_) return;
    if (!more && lane.phase_ == phase::running) {
        lane.phase_ = phase::idle;
        return;
    }
    lane.phase_ = phase::queued;
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
