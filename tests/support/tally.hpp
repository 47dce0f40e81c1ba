/// How tests that use threads wait: for a count, never for a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace waybill::test {

/// A count that threads raise and wait for. The wait is given up, with false, after a time that
/// only a failure takes.
class tally {
public:
    static constexpr std::chrono::seconds patience{60};

    void add(std::size_t amount = 1) {
        const std::lock_guard lock{mutex_};
        count_ += amount;
        changed_.notify_all();
    }
    [[nodiscard]] bool reaches(std::size_t wanted) const {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, patience, [&] { return count_ >= wanted; });
    }
    [[nodiscard]] std::size_t count() const {
        const std::lock_guard lock{mutex_};
        return count_;
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t count_ = 0;
};

/// A gate that threads wait at until it is opened. The end of its life opens it, so that a test
/// that fails leaves nobody behind: declare it before the app whose handlers wait at it.
class gate {
public:
    gate() = default;
    ~gate() { open(); }
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    void open() {
        const std::lock_guard lock{mutex_};
        is_open_ = true;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return is_open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_open_ = false;
};

}  // namespace waybill::test
