/// Threads that run lanes, a turn at a time: one thread for one lane, or a few shared by many.
///
/// Guarantee: a lane runs on one thread at a time, and once more after every `schedule`. A pool of
/// no threads runs only when it is driven by hand (`run_one`), in the order of scheduling: that is
/// how the test kit makes two runs alike.
#pragma once

#include <waybill/export.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace waybill::dispatch {

class pool;

/// Something that runs a turn at a time. Owned by whoever made it; outlives its pool's threads.
class runnable {
public:
    explicit runnable(pool& on) noexcept : pool_{&on} {}
    runnable(const runnable&) = delete;
    runnable& operator=(const runnable&) = delete;

    /// Sees to it that a turn begins after this call; does nothing once the pool has ended. Any
    /// thread.
    void schedule() noexcept;

protected:
    ~runnable() = default;
    /// Does a share of the work; true when there may be more.
    virtual bool turn() noexcept = 0;

private:
    friend class pool;
    enum class phase : std::uint8_t { idle, queued, running, running_again };

    pool* pool_;
    runnable* next_ = nullptr;
    phase phase_ = phase::idle;  // guarded by the pool's lock
};

class pool {
public:
    explicit pool(std::string name) : name_{std::move(name)} {}
    ~pool();
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// Starts the threads. `keep` stays alive as long as a thread may run.
    void start(std::size_t threads, const std::shared_ptr<void>& keep);
    /// Lets the threads end after their turn and waits for them.
    void join();
    /// Lets the threads end after their turn and does not wait: one is stuck in a handler.
    void abandon();

    /// Runs one turn of the lane that waits longest, on this thread; false when none waits.
    WAYBILL_INNER bool run_one() noexcept;

private:
    friend class runnable;
    void push(runnable& lane) noexcept;
    runnable* pop() noexcept;
    void run(runnable& lane) noexcept;
    void work() noexcept;
    void end() noexcept;

    std::string name_;
    std::mutex mutex_;
    std::condition_variable wake_;
    runnable* first_ = nullptr;
    runnable** last_ = &first_;
    std::size_t sleeping_ = 0;
    bool ended_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace waybill::dispatch
