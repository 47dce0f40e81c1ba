/// The book that a run of `every_step.hpp` is held against: each delivery in a reader's hand, what
/// its handler said, what was published for it and how it was settled.
///
/// Guarantee: what is wrong is written down when it happens, not only when it shows at the end. It
/// knows the contract of include/waybill/detail/transport.hpp and the answers of the handlers, and
/// nothing of the runtime's own decisions. For one thread.
#pragma once

#include <waybill/clock.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/headers.hpp>
#include <waybill/health.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// What is published on behalf of a delivery.
enum class sent_kind : std::uint8_t { staged, copy, dead_letter };

/// What a handler, or the codec, said of a delivery.
struct said {
    enum class kind : std::uint8_t { nothing, ack, again, drop, unreadable };
    kind what = kind::nothing;
    std::chrono::nanoseconds delay{0};
    std::size_t staged = 0;  ///< messages that go with an ack
};

/// Where a message ends when nothing doubles it.
enum class ending : std::uint8_t { acked, dropped, dead };

/// A message that is published at the start, known by the header `x-id`.
struct tracked_message {
    std::uint64_t id = 0;
    ending ends = ending::acked;
    std::string root;  ///< its waybill-id; empty: the runtime finds one
    /// Attempts that another reader spent on it: it is that reader's copy, and no handler of ours
    /// is to see it. 0: it is none.
    std::uint32_t others_attempts = 0;
};

class step_ledger {
public:
    /// A cap of 0 is none. `has_window`: the server hands over ahead of what is taken.
    step_ledger(waybill::detail::capabilities can, std::uint32_t cap,
                std::shared_ptr<waybill::manual_clock> time, bool has_window = false)
        : can_{can}, cap_{cap}, time_{std::move(time)}, has_window_{has_window} {}

    void published(const tracked_message& message) {
        messages_[message.id].known = message;
        messages_[message.id].charged = message.others_attempts;
    }

    // ---- what crosses the contract -------------------------------------------------------------
    void took(std::span<const waybill::detail::received> batch);
    /// The server has it.
    void taken(sent_kind kind, const waybill::outgoing_view& message);
    /// How the publish ended, as the runtime is told it.
    void told(sent_kind kind, const waybill::outgoing_view& message,
              waybill::detail::publish_status status);
    void settled(const waybill::detail::settle_op& operation, bool is_stale);
    /// The connection fell: everything in hand is stale. A kill also loses what waits in memory.
    void fell(bool killed);
    void stopping() { is_stopping_ = true; }
    /// Whether a delivery in hand waits for this publish.
    [[nodiscard]] bool waits_for(sent_kind kind, const waybill::outgoing_view& message) {
        return behind(kind, message) != nullptr;
    }

    // ---- what handlers and codecs announce; deliveries are known by where their payload lies ---
    /// `lane`: what tells one lane from another.
    void decoded(const void* lane, const std::byte* payload, bool is_readable);
    void ran(const std::byte* payload, std::uint32_t attempt);
    void answered(const std::byte* payload, said answer);

    // ---- what the driver sees ------------------------------------------------------------------
    /// Every lane is at rest, and time is about to move on.
    void rests(const waybill::health& now, std::size_t waiting_in_process);
    /// The process has gone: stopped, or killed. What it still waited for when its limit was
    /// reached was given back with the connection.
    void session_ended(bool at_limit);
    /// Found when all was over.
    void found_staged(std::uint64_t id, std::uint64_t number);
    void found_dead(std::uint64_t id, const waybill::headers& with);
    void left_over(std::uint64_t id) { problem(id, "was left unread in the queue"); }
    /// Every message has ended where it should.
    void close();

    void problem(const std::string& what) { problems_ += "  " + what + '\n'; }
    [[nodiscard]] const std::string& problems() const noexcept { return problems_; }
    [[nodiscard]] std::size_t runs() const noexcept { return runs_; }

private:
    struct in_hand {
        std::uint64_t id = 0;
        std::uint64_t generation = 0;
        const std::byte* payload = nullptr;
        std::uint32_t attempt = 1;  ///< what the handler must see
        std::uint32_t carried = 0;  ///< the count that it came with
        std::string root;           ///< the waybill-id that it came with
        std::int64_t due_ms = 0;
        bool is_stale = false;
        bool has_run = false;
        said answer;
        std::size_t staged_taken = 0;
        std::size_t staged_confirmed = 0;
        bool staged_was_lost = false;
        bool is_moved = false;      ///< its copy or dead letter is with the server
        bool is_confirmed = false;  ///< and the runtime was told so
        bool is_repeating = false;  ///< its copy was not taken
        bool is_doubled = false;
        bool was_refused = false;
        std::vector<std::byte> sent;  ///< packed headers of the copy
    };

    struct account {
        tracked_message known;
        std::uint32_t charged = 0;         ///< attempts that count as spent
        std::uint32_t may_be_charged = 0;  ///< and that the server may have counted, unseen
        std::map<std::uint32_t, std::size_t> runs;
        bool came_back = false;  ///< since it last ran: given back, or the connection fell
        std::chrono::nanoseconds not_before{0};
        std::size_t waits = 0;           ///< its copies in the process's own memory
        std::size_t unconfirmed = 0;     ///< of these, with the server as well
        std::vector<std::byte> sent;     ///< packed headers of the last that was published
        bool repeats = false;            ///< one of these was not confirmed and is sent again
        std::vector<std::byte> refused;  ///< the same of a copy that waited and was refused
        bool is_excused = false;         ///< it waited in the memory of a process that was killed
        std::size_t doubles = 0;  ///< how often the server had its copy and the original both
        bool notes_may_be_double = false;
        bool record_was_refused = false;
        std::size_t acked = 0;
        std::size_t dropped = 0;
        std::size_t dead = 0;
        std::size_t notes = 0;
        std::size_t staged = 0;  ///< what went with the ack that counted
    };

    void problem(std::uint64_t id, const std::string& what) {
        problem("message " + std::to_string(id) + ' ' + what);
    }
    [[nodiscard]] bool counts_failures() const noexcept {
        return can_.counts == waybill::detail::count_support::failures;
    }
    void take_in(const waybill::detail::received& from);
    in_hand* by_payload(const std::byte* payload);
    in_hand* by_id(std::uint64_t id);
    in_hand* behind(sent_kind kind, const waybill::outgoing_view& message);
    void check_copy(const waybill::headers& with, const in_hand* from, std::uint64_t id);
    void check_dead_letter(const waybill::headers& with, const in_hand& from);
    void check_accept(in_hand& one);
    void told_the_process(sent_kind kind, const waybill::outgoing_view& message,
                          waybill::detail::publish_status status);
    void came_back(in_hand& one);
    void doubled(in_hand& one);
    static bool is_awaited(const in_hand& one);
    [[nodiscard]] bool is_others(const in_hand& one) {
        return messages_[one.id].known.others_attempts != 0;
    }

    waybill::detail::capabilities can_;
    std::uint32_t cap_;
    std::shared_ptr<waybill::manual_clock> time_;
    bool has_window_;
    std::map<void*, in_hand> hand_;
    std::map<std::uint64_t, account> messages_;
    std::map<const void*, std::uint64_t> newest_;  ///< per lane
    std::set<std::uint64_t> seen_;
    std::set<std::vector<std::byte>> failing_;  ///< copies that waited and were not taken
    /// Of the connection over which something new has come: the window is open.
    std::optional<std::uint64_t> generation_;
    std::size_t runs_ = 0;
    bool is_stopping_ = false;
    bool is_killed_ = false;
    std::string problems_;
};

/// The number of a message, from its header `x-id`; 0 when it has none.
std::uint64_t id_in(const waybill::headers& with);

}  // namespace support
