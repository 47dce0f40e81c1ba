/// How another thread hands a finished piece of work back to a lane: a confirmation, a timer that
/// fired, a settlement made elsewhere.
///
/// Guarantee: mail arrives on the lane's own thread, in the order it was posted, each once.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace waybill::settle {

class mail {
public:
    /// Called once on the lane's thread; may destroy or re-post the mail.
    virtual void arrive() noexcept = 0;

protected:
    ~mail() = default;

private:
    friend class mailbox;
    mail* next_ = nullptr;
};

class mailbox {
public:
    /// Thread-safe. The mail stays valid until it arrived.
    void post(mail& letter) noexcept {
        {
            const std::lock_guard lock{mutex_};
            letter.next_ = nullptr;
            *last_ = &letter;
            last_ = &letter.next_;
            any_.store(true, std::memory_order_release);
        }
        wake();
    }

    [[nodiscard]] bool has_mail() const noexcept { return any_.load(std::memory_order_acquire); }

    /// On the lane's thread.
    void deliver() noexcept {
        mail* letter = nullptr;
        {
            const std::lock_guard lock{mutex_};
            letter = std::exchange(first_, nullptr);
            last_ = &first_;
            any_.store(false, std::memory_order_relaxed);
        }
        while (letter != nullptr) {
            auto* following = letter->next_;
            letter->arrive();
            letter = following;
        }
    }

protected:
    ~mailbox() = default;
    /// Sees to it that `deliver` runs soon.
    virtual void wake() noexcept = 0;

private:
    std::mutex mutex_;
    mail* first_ = nullptr;
    mail** last_ = &first_;
    std::atomic<bool> any_{false};
};

}  // namespace waybill::settle
