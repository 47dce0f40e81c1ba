/// One message in the server, and the rings that messages stand in.
///
/// Guarantee: an entry stands in one ring at a time (ready in a queue, in one reader's hand, or
/// among the orphans) or in none (it waits for its time). Nothing here allocates or locks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace waybill::memory {

struct address;
struct backlog;

/// Where an entry hangs in its ring.
struct link {
    link* next;
    union {
        link* previous;
        backlog* home;  ///< of one that waits for its time, and so stands in no ring
    };
};

/// What only a message has that leaves by itself; it stands behind the payload.
struct lifetime {
    static constexpr auto never = std::chrono::nanoseconds::max();
    static constexpr auto not_ready = std::chrono::nanoseconds::min();

    std::chrono::nanoseconds due;                ///< on the server's clock: when it leaves
    std::chrono::nanoseconds expires = never;    ///< when its time to live ends, wherever it is
    std::chrono::nanoseconds since = not_ready;  ///< when it became ready: its age counts from then
    std::int64_t expires_at_ms = 0;  ///< since 1970, for its reader; 0: it has no time to live
    std::size_t place = 0;           ///< in the heap of those that are ready
    backlog* in = nullptr;           ///< the queue where it is ready

    /// Is it that the address keeps nothing so old?
    [[nodiscard]] bool ends_by_age() const noexcept { return due < expires; }
    /// It is in a hand or waits: its age does not end it there, and begins anew afterwards.
    void stop_aging() noexcept {
        since = not_ready;
        due = expires;
    }
};

/// Its packed headers and its payload follow it.
struct entry : link {
    address* to;
    std::uint32_t headers_size;
    std::uint32_t payload_size;
    std::uint32_t count;  ///< failed deliveries, or returns
    std::uint8_t size_class;
    bool redelivered;
    bool orphaned;   ///< its connection fell; a clone took its place
    bool has_limit;  ///< a lifetime follows the payload

    [[nodiscard]] std::size_t size() const noexcept {
        return std::size_t{headers_size} + payload_size;
    }
    [[nodiscard]] std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] std::span<const std::byte> packed_headers() const noexcept {
        return {reinterpret_cast<const std::byte*>(this + 1), headers_size};
    }
    [[nodiscard]] std::byte* payload() noexcept { return bytes() + headers_size; }
    /// Only of one that has a limit.
    [[nodiscard]] lifetime& life() noexcept {
        return *reinterpret_cast<lifetime*>(bytes() + life_offset(size()));
    }
    static constexpr std::size_t life_offset(std::size_t size) noexcept {
        return (size + alignof(lifetime) - 1) & ~(alignof(lifetime) - 1);
    }
};
static_assert(sizeof(entry) == 40);

/// Entries in order, each of which can be taken out where it stands.
class ring {
public:
    ring() noexcept { clear(); }
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;

    [[nodiscard]] bool empty() const noexcept { return ends_.next == &ends_; }
    /// Only of one that is not empty.
    [[nodiscard]] entry& first() noexcept { return *static_cast<entry*>(ends_.next); }
    [[nodiscard]] entry& last() noexcept { return *static_cast<entry*>(ends_.previous); }

    void push_back(link& added) noexcept { insert(added, *ends_.previous, ends_); }
    void push_front(link& added) noexcept { insert(added, ends_, *ends_.next); }
    static void insert_behind(link& before, link& added) noexcept {
        insert(added, before, *before.next);
    }
    static void remove(link& gone) noexcept {
        gone.previous->next = gone.next;
        gone.next->previous = gone.previous;
    }
    /// Takes the first entries of another, up to and with `last`.
    void take_front(ring& from, link& last) noexcept {
        auto& first = *from.ends_.next;
        from.ends_.next = last.next;
        last.next->previous = &from.ends_;
        first.previous = ends_.previous;
        ends_.previous->next = &first;
        last.next = &ends_;
        ends_.previous = &last;
    }

    /// `visit` may take out and free what it is given.
    template <class F>
    void for_each(F&& visit) {
        for (auto* at = ends_.next; at != &ends_;) {
            auto* next = at->next;
            visit(*static_cast<entry*>(at));
            at = next;
        }
    }

    /// The same, the last one first.
    template <class F>
    void for_each_from_last(F&& visit) {
        for (auto* at = ends_.previous; at != &ends_;) {
            auto* previous = at->previous;
            visit(*static_cast<entry*>(at));
            at = previous;
        }
    }

private:
    void clear() noexcept { ends_.next = ends_.previous = &ends_; }
    static void insert(link& added, link& before, link& behind) noexcept {
        added.next = &behind;
        before.next = &added;
        added.previous = &before;
        behind.previous = &added;
    }

    link ends_;
};

}  // namespace waybill::memory
