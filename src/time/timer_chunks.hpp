/// What the timer wheel is made of: entries, 512-byte chunks of them, and queues of chunks.
///
/// Guarantee: an entry takes 24 bytes (25.6 with its share of a full chunk), and nothing here looks
/// behind `item`. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace waybill {

/// One armed timer. `key` is the due time as an unsigned number that orders like it; `seq` counts
/// the timers as they are armed.
struct timer_entry {
    std::uint64_t key;
    std::uint64_t seq;
    void* item;
};

/// The order in which timers fire: by due time, and first in, first out among equals.
constexpr bool fires_before(const timer_entry& a, const timer_entry& b) noexcept {
    return (a.key < b.key) | ((a.key == b.key) & (a.seq < b.seq));
}

/// Timers that lie together in the order of firing; the first `due` of them are to fire now, the
/// others are there to be prefetched.
struct timer_run {
    std::span<const timer_entry> entries;
    std::size_t due = 0;
};

/// With the allocator's own word this fills 512 bytes.
struct timer_chunk {
    static constexpr std::uint32_t capacity = 20;

    timer_chunk* next;
    std::uint32_t begin;
    std::uint32_t end;
    std::array<timer_entry, capacity> entries;
};

/// Recycles chunks. Keeps back a quarter of what is in use, and some; frees the rest at once.
class timer_chunk_pool {
public:
    timer_chunk_pool() = default;
    timer_chunk_pool(const timer_chunk_pool&) = delete;
    timer_chunk_pool& operator=(const timer_chunk_pool&) = delete;
    /// Every chunk must have come back.
    ~timer_chunk_pool() { keep(0); }

    [[nodiscard]] timer_chunk* get() {
        timer_chunk* chunk = free_;
        if (chunk != nullptr) {
            free_ = chunk->next;
            --spare_;
        } else {
            chunk = new timer_chunk;
        }
        ++used_;
        chunk->next = nullptr;
        chunk->begin = chunk->end = 0;
        return chunk;
    }

    void put(timer_chunk* chunk) noexcept {
        --used_;
        chunk->next = free_;
        free_ = chunk;
        if (++spare_ > min_spare + used_ / 4) keep(min_spare + used_ / 4);
    }

    /// Frees all but `count` of the spare chunks.
    void keep(std::size_t count) noexcept {
        while (spare_ > count) {
            timer_chunk* chunk = free_;
            free_ = chunk->next;
            delete chunk;
            --spare_;
        }
    }

    /// Memory held, used and spare.
    [[nodiscard]] std::size_t bytes() const noexcept { return (used_ + spare_) * 512; }

private:
    static constexpr std::size_t min_spare = 128;

    timer_chunk* free_ = nullptr;
    std::size_t used_ = 0;
    std::size_t spare_ = 0;
};

/// Entries in the order they were pushed. Its chunks belong to the pool that every call names, and
/// must have been given back (`pop` all, or `release`) before the queue goes away.
class timer_queue {
public:
    [[nodiscard]] bool empty() const noexcept { return head_ == nullptr; }

    void push(timer_chunk_pool& pool, const timer_entry& entry) {
        if (tail_ == nullptr || tail_->end == timer_chunk::capacity) append(pool.get());
        tail_->entries[tail_->end++] = entry;
    }

    /// The oldest entries, as many as lie together; at least one unless empty.
    [[nodiscard]] std::span<const timer_entry> front() const noexcept {
        if (empty()) return {};
        return {head_->entries.data() + head_->begin, head_->end - head_->begin};
    }

    /// Asks for the memory of what comes after `front`. Needs a `front`. Always inline, because
    /// g++ 12 takes a function that only prefetches for one without effect and drops the call.
    [[gnu::always_inline]] void prefetch_next() const noexcept {
        if (head_->next == nullptr) return;
        const auto* const bytes = reinterpret_cast<const std::byte*>(head_->next);
        for (std::size_t line = 0; line < sizeof(timer_chunk); line += 64) {
            __builtin_prefetch(bytes + line);
        }
    }

    /// Removes the `count` oldest entries, at most as many as `front` shows.
    void pop(timer_chunk_pool& pool, std::size_t count) noexcept {
        head_->begin += static_cast<std::uint32_t>(count);
        if (head_->begin != head_->end) return;
        timer_chunk* spent = head_;
        head_ = spent->next;
        if (head_ == nullptr) tail_ = nullptr;
        pool.put(spent);
    }

    void release(timer_chunk_pool& pool) noexcept {
        while (!empty()) pop(pool, front().size());
    }

private:
    void append(timer_chunk* chunk) noexcept {
        (tail_ == nullptr ? head_ : tail_->next) = chunk;
        tail_ = chunk;
    }

    timer_chunk* head_ = nullptr;
    timer_chunk* tail_ = nullptr;
};

}  // namespace waybill
