/// Timers whose delay is a constant: one queue for each of up to 64 delays, already in due order.
///
/// Guarantee: a delay gets a lane after a few uses, and keeps it while timers wait in it. What a
/// lane cannot hold in order is refused, never reordered. Not thread-safe.
#pragma once

#include "time/timer_chunks.hpp"
#include <waybill/export.h>

#include <array>
#include <cstdint>
#include <span>

namespace waybill {

class WAYBILL_INNER timer_lanes {
public:
    static constexpr std::size_t max_lanes = 64;

    explicit timer_lanes(timer_chunk_pool& pool) noexcept : pool_{pool} {}
    timer_lanes(const timer_lanes&) = delete;
    timer_lanes& operator=(const timer_lanes&) = delete;
    ~timer_lanes();

    /// Takes the entry if `delay` has a lane (or earns one now) and the entry fits behind its last.
    [[nodiscard]] bool offer(std::int64_t delay, const timer_entry& entry);

    /// The entry that fires first, or nullptr. Valid until the next change.
    [[nodiscard]] const timer_entry* front() const noexcept {
        return waiting_ == 0 ? nullptr : &heads_[0].first;
    }

    /// The entries from `front` on, as many as lie together; due are those that fire before
    /// `bound`, `limit` at most. Needs a `front`.
    [[nodiscard]] timer_run run(const timer_entry& bound, std::size_t limit) const noexcept;

    /// Removes the `count` first due entries of the last `run`; `count` is at least 1.
    void pop(std::size_t count) noexcept;

private:
    struct lane {
        timer_queue entries;
        std::uint64_t last_key = 0;
        std::uint32_t candidate = 0;
    };
    struct head {
        timer_entry first;
        lane* owner;
    };
    /// A delay seen lately: with a lane, or on its way to one.
    struct candidate {
        std::int64_t delay = 0;
        std::uint32_t hits = 0;
        lane* owner = nullptr;
    };
    static constexpr std::uint32_t hits_for_a_lane = 4;
    static constexpr std::size_t ways = 2;
    static constexpr unsigned set_bits = 7;

    lane* lane_for(std::int64_t delay) noexcept;
    lane* miss(std::size_t set, std::int64_t delay) noexcept;
    lane* claim(std::size_t index) noexcept;
    void rise(std::size_t at) noexcept;
    void sink(std::size_t at) noexcept;

    timer_chunk_pool& pool_;
    std::size_t waiting_ = 0;  // lanes that are not empty: the heap in heads_[0, waiting_)
    std::size_t made_ = 0;
    std::array<head, max_lanes> heads_;
    std::array<lane, max_lanes> lanes_;
    std::array<candidate, (std::size_t{1} << set_bits) * ways> candidates_;
};

}  // namespace waybill
