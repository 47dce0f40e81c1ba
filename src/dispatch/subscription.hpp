/// One running subscription: a consumer, the lanes that share it, and what they have in common.
///
/// Guarantee: after a start or a reconnect exactly one delivery of the new connection is in hand
/// until the first that is new (careful mode: one that kills the process then takes no innocents
/// along); a lane sleeps only while there is nothing for it to take.
#pragma once

#include "dispatch/pool.hpp"
#include "settle/execute.hpp"
#include <waybill/codec.hpp>
#include <waybill/declaration.hpp>
#include <waybill/detail/handler.hpp>
#include <waybill/detail/transport.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace waybill::dispatch {

class lane;

/// What a subscription runs with, resolved at start. Constant while it runs.
struct equipment {
    const declaration* declared = nullptr;
    const detail::handler* handler = nullptr;
    codec format;
    std::vector<void*> states;
    std::vector<detail::bound_output> outputs;
    std::shared_ptr<void> memory;  ///< keeps what deliveries view
    std::size_t max_batch = 64;    ///< 1 in tests, and where lanes could wait for each other
};

class subscription final : public detail::consumer_listener {
public:
    subscription(equipment with, std::function<void()> quiet);
    ~subscription();

    /// The consumer must be set before lanes run. One lane for each pool named.
    settle::scope shared;
    void open(std::unique_ptr<detail::consumer> reads, const std::vector<pool*>& pools);

    /// Lanes may sleep; this wakes one. Any thread.
    void ready() noexcept override;
    void reconnected() noexcept override;
    [[nodiscard]] std::size_t lanes() const noexcept override {
        return static_cast<std::size_t>(with_.declared->concurrency);
    }

    /// Takes nothing further; what is held or being repeated is given back.
    void stop() noexcept;
    /// The stop's limit is reached: what no handler has begun is given back.
    void give_back() noexcept {
        gives_back_.store(true, std::memory_order_relaxed);
        is_open_.store(false, std::memory_order_relaxed);
    }
    /// Nothing is in hand any more.
    [[nodiscard]] bool is_quiet() const noexcept;
    /// Lanes that are inside a handler or wait for a settlement.
    [[nodiscard]] std::size_t busy_lanes() const noexcept;

    [[nodiscard]] const equipment& with() const noexcept { return with_; }

private:
    friend class lane;

    /// Puts a lane to sleep unless there is something to take; true when it must go on.
    bool sleep(lane& sleeper) noexcept;
    /// A lane that runs is not in the list of those that a message may wake.
    void awake(lane& riser) noexcept;
    void take_off_list(lane& riser) noexcept;
    void wake_all() noexcept;
    /// A message came that nobody had before, over this connection.
    void open_window(std::uint64_t generation) noexcept;
    /// Closes the window when the connection is another than before; true when it just was.
    bool notice_reconnect(std::uint64_t generation) noexcept {
        return generation > generation_.load(std::memory_order_relaxed) && close_window(generation);
    }
    bool close_window(std::uint64_t generation) noexcept;
    [[nodiscard]] bool is_current(std::uint64_t generation) const noexcept {
        return generation == generation_.load(std::memory_order_relaxed);
    }
    /// While the window is closed one lane takes: the first that asks, which is not one whose
    /// handler still runs for the connection before.
    bool takes_alone(const lane& asker) noexcept {
        const lane* nobody = nullptr;
        return alone_.compare_exchange_strong(nobody, &asker) || nobody == &asker;
    }
    [[nodiscard]] bool window_is_open() const noexcept {
        return window_open_.load(std::memory_order_relaxed);
    }
    /// Deliveries need no care: the window is open, and nothing is being given back.
    [[nodiscard]] bool is_open() const noexcept { return is_open_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool gives_back() const noexcept {
        return gives_back_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool is_stopping() const noexcept {
        return stopping_.load(std::memory_order_relaxed);
    }

    /// While moves are published in a row, lanes are held up and go on many times a second: a line
    /// about it is written at most this often. True: now is one due, which the caller writes.
    static constexpr std::chrono::seconds between_held_up_lines{10};
    bool takes_held_up_line(std::chrono::nanoseconds now) noexcept {
        auto next = next_held_up_line_.load(std::memory_order_relaxed);
        return now.count() >= next &&
               next_held_up_line_.compare_exchange_strong(
                   next, std::chrono::nanoseconds{now + between_held_up_lines}.count());
    }

    equipment with_;
    std::function<void()> quiet_;
    std::unique_ptr<detail::consumer> consumer_;
    std::vector<std::unique_ptr<lane>> lanes_;
    std::mutex mutex_;
    std::vector<lane*> asleep_;
    std::atomic<std::size_t> asleep_count_{0};
    std::atomic<std::uint64_t> generation_{0};  ///< of the connection that the window is about
    std::atomic<const lane*> alone_{nullptr};
    std::atomic<std::int64_t> next_held_up_line_{INT64_MIN};
    std::atomic<bool> lanes_run_{false};
    std::atomic<bool> window_open_{false};
    std::atomic<bool> is_open_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> gives_back_{false};
};

}  // namespace waybill::dispatch
