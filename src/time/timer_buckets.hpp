/// Timers with any delay: buckets by due time that are sorted only when their turn comes.
///
/// A radix heap. All that is due at `base_` or before is *near*: a sorted array, and a heap for
/// what is armed into that time later. All else lies in the bucket of the highest six-bit digit in
/// which its due time differs from `base_`. When the near part is used up, the first bucket
/// becomes the near part, or, when it is large, is dealt out to the levels below it.
///
/// Guarantee: exact to the nanosecond over the whole range; a timer is moved once for each level it
/// passes, in whole chunks and without a look at its item; a jump of any length visits only buckets
/// that hold something. Not thread-safe.
#pragma once

#include "time/timer_chunks.hpp"
#include <waybill/export.h>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace waybill {

class WAYBILL_INNER timer_buckets {
public:
    explicit timer_buckets(timer_chunk_pool& pool) noexcept : pool_{pool} {}
    timer_buckets(const timer_buckets&) = delete;
    timer_buckets& operator=(const timer_buckets&) = delete;
    ~timer_buckets();

    void push(const timer_entry& entry) {
        if (entry.key > base_) {
            place(entry);
        } else {
            push_near(entry);
        }
    }

    [[nodiscard]] bool empty() const noexcept { return near_empty() && levels_ == 0; }

    /// The key of the entry that fires first.
    [[nodiscard]] std::optional<std::uint64_t> first_key() const noexcept;

    /// The entry that fires first if its key is `now` or before, else nullptr. Valid until the next
    /// change.
    [[nodiscard]] const timer_entry* front(std::uint64_t now);

    /// The entries from `front` on, as many as lie together; due are those that fire before
    /// `bound`, `limit` at most. Needs a `front`.
    [[nodiscard]] timer_run run(const timer_entry& bound, std::size_t limit) const noexcept;

    /// Removes the `count` first due entries of the last `run`; `count` is at least 1.
    void pop(std::size_t count) noexcept;

    /// Starts the digits anew at `now`; only while empty. Saves levels, changes no result.
    void rebase(std::uint64_t now) noexcept { base_ = now; }

    /// Memory held, without the chunks.
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    static constexpr unsigned digit_bits = 6;
    static constexpr unsigned slot_count = 1U << digit_bits;
    static constexpr unsigned level_count = (64 + digit_bits - 1) / digit_bits;
    /// How many entries are sorted at a time rather than dealt out: enough that a bucket of the
    /// next level gets more than a chunk of them.
    static constexpr std::size_t sort_limit = 2048;
    /// How many entries the heap takes before the near part is made shorter.
    static constexpr std::size_t late_limit = 512;

    struct bucket {
        timer_queue entries;
        std::uint64_t min = UINT64_MAX;
        std::size_t size = 0;
    };
    struct position {
        unsigned level;
        unsigned slot;
    };

    void place(const timer_entry& entry) {
        const unsigned level = (std::bit_width(entry.key ^ base_) - 1U) / digit_bits;
        const unsigned slot = (entry.key >> (level * digit_bits)) & (slot_count - 1);
        bucket& b = buckets_[level][slot];
        b.entries.push(pool_, entry);
        ++b.size;
        if (entry.key < b.min) b.min = entry.key;
        levels_ |= 1U << level;
        slots_[level] |= std::uint64_t{1} << slot;
    }

    [[nodiscard]] bool near_empty() const noexcept {
        return next_ == sorted_.size() && late_.empty();
    }
    [[nodiscard]] const timer_entry& near_front() const noexcept;
    [[nodiscard]] position first_bucket() const noexcept;

    void push_near(const timer_entry& entry);
    // Out of memory in these ends the process: nothing that waits is lost quietly.
    void refill() noexcept;
    void clear_sorted() noexcept;
    void spill() noexcept;

    timer_chunk_pool& pool_;
    std::uint64_t base_ = 0;
    std::vector<timer_entry> sorted_;  // from next_ on
    std::size_t next_ = 0;
    std::vector<timer_entry> scratch_;
    std::vector<timer_entry> late_;  // a heap
    std::size_t spill_at_ = late_limit;
    std::uint32_t levels_ = 0;  // which levels hold something, and below which slots
    std::array<std::uint64_t, level_count> slots_{};
    std::array<std::array<bucket, slot_count>, level_count> buckets_;
};

}  // namespace waybill
