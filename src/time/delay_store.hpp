/// Where a copy waits that its broker cannot delay.
///
/// Guarantee asked of every store: a copy is published never before its time, and stays in the
/// store until the broker confirmed it; what the broker will never take becomes a dead letter
/// without a failure record, and where there is none, or that is refused as well, it stays and is
/// tried every minute. Thread-safe.
#pragma once

#include "time/timers.hpp"
#include <waybill/clock.hpp>
#include <waybill/detail/transport.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace waybill::time {

class delay_store {
public:
    virtual ~delay_store() = default;

    /// Takes a copy that is due after `message.delay`. `confirmed`: it is as safe as the store
    /// makes it, and the original may be settled. After a flush: `lost`; with
    /// headers above 4 GiB: `refused`. `dead_letter` is where it
    /// goes when it is refused for good, and outlives the store; null: nowhere.
    virtual detail::publish_status put(const outgoing_view& message,
                                       const std::string* dead_letter) = 0;
    [[nodiscard]] virtual std::size_t waiting() const = 0;
    /// Publishes what waits at once, each with its due time on it (`waybill-due`); says how many
    /// the broker did not take. For a graceful stop: what fails is tried again, with
    /// growing pauses, and what is not confirmed within 5 s of real time counts as not taken.
    virtual std::size_t flush() = 0;
};

/// Keeps the copies in memory: a kill loses them, a graceful stop does not.
class memory_delay_store final : public delay_store {
public:
    /// Told why when a copy is not taken the first time, and of nothing when it is at last; one
    /// that becomes a dead letter is another copy. Any thread, without locks held.
    using trouble = std::function<void(std::string_view why)>;

    memory_delay_store(detail::transport& to, timers& wakes, std::shared_ptr<clock> time,
                       trouble tell = {});
    ~memory_delay_store() override;

    detail::publish_status put(const outgoing_view& message,
                               const std::string* dead_letter) override;
    [[nodiscard]] std::size_t waiting() const override;
    std::size_t flush() override;

private:
    struct waiting_copy;
    using copies = std::vector<waiting_copy*>;

    void fired(waiting_copy& copy) noexcept;
    void send(waiting_copy& copy) noexcept;
    void sent(waiting_copy& copy, detail::publish_status status) noexcept;
    void tell_of(waiting_copy& copy, bool dies) const;
    void taken(waiting_copy& copy) noexcept;
    void forget(waiting_copy& copy) noexcept;
    copies claim_for_flush();
    void flush_pause(unsigned rounds) const;

    detail::transport& to_;
    timers& wakes_;
    std::shared_ptr<clock> time_;
    trouble tell_;
    mutable std::mutex mutex_;
    std::condition_variable one_sent_;
    waiting_copy* first_ = nullptr;
    std::uint64_t taken_ = 0;  ///< since the start
    std::size_t count_ = 0;    ///< not confirmed yet
    std::size_t sending_ = 0;  ///< of these, on their way to the broker
    bool flushed_ = false;
};

}  // namespace waybill::time
