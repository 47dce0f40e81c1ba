/// The messages that one kind of reader shares, ready to be taken, in order.
///
/// Guarantee: the counts are those of what the queue holds. Guarded by the store's lock.
#pragma once

#include "transport/memory/entry.hpp"
#include <waybill/detail/transport.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace waybill::memory {

class reader;
struct client;

/// So many messages, and their bytes: payloads and headers.
struct load {
    std::size_t messages = 0;
    std::size_t bytes = 0;

    void add(const entry& one) noexcept {
        ++messages;
        bytes += one.size();
    }
    void take_off(const entry& one) noexcept {
        --messages;
        bytes -= one.size();
    }
};

/// A publish that waits for room. What the message views is the caller's until the ticket is told.
struct held_publish {
    outgoing_view message;
    detail::publish_ticket* ticket;
    client* by;
    address* to;
    std::chrono::nanoseconds since;  ///< on the clock of its client
};

/// What is known of a queue that is bounded, beside what all know.
struct measures {
    std::size_t ready_bytes = 0;
    load in_hand;
    std::list<held_publish> held;  ///< first come, first served
};

struct backlog {
    std::string name;     ///< the source's; for a fan-out reader its identity
    std::string pattern;  ///< what it takes
    bool fan_out = false;
    bool is_kept = false;  ///< made because nobody reads the address; serves until somebody does
    bool is_plain = true;  ///< neither measured, nor was anything in it that leaves by itself
    ring ready;
    std::size_t count = 0;  ///< of those that are ready
    load waiting;           ///< for their time
    std::vector<reader*> readers;
    std::unique_ptr<measures> measured;  ///< only where a limit or a retention is declared

    /// All that it holds, in readers' hands too. Only of one that is measured.
    [[nodiscard]] load held() const noexcept {
        return {count + waiting.messages + measured->in_hand.messages,
                measured->ready_bytes + waiting.bytes + measured->in_hand.bytes};
    }
};

}  // namespace waybill::memory
