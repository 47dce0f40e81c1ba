/// What must hold of every run beside the ledger: nothing is settled before what takes its place is
/// safe, the cap, the order of a lane, no redelivery before its time, no dead letter without cause.
///
/// Guarantee: judges by what crossed the transport and what handlers answered, not by what the
/// product says of itself. Where an interruption makes several answers right, none is wrong.
#pragma once

#include "scenario/scenario.hpp"
#include <waybill/detail/transport.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace waybill::scenario {

/// What became of one delivery while it was in hand.
struct in_hand {
    std::size_t subscription = 0;
    std::uint64_t id = 0;  ///< 0: a message that nobody published
    std::string queue;
    const std::byte* payload = nullptr;
    std::uint32_t attempt = 1;
    std::uint32_t counted = 0;  ///< by the broker, before it
    enum class said : std::uint8_t {
        nothing,
        ack,
        drop,
        again,
        dead_letter
    } answer = said::nothing;
    nanoseconds delay{0};            ///< that a handler asked for itself, or the back-off
    nanoseconds answered_at{0};      ///< when it did
    std::int64_t expires_at_ms = 0;  ///< Unix epoch; 0: no time to live
    bool is_redelivered = false;     ///< it came back
    bool brings_count = false;       ///< its headers carry attempts: most likely it is a copy
    bool is_early = false;           ///< its time had not come when it was taken
    bool was_shown = false;          ///< a `delivered` says so
    bool has_run = false;            ///< its handler did
    bool is_exceeded = false;        ///< it ended on receipt
    bool is_foreign = false;         ///< a copy that another reader made
    bool is_ordered = true;          ///< no publish before it may still have waited for room
    bool is_expiring = false;        ///< its time to live ends before the delay does
    bool is_copied = false;          ///< a retry copy was confirmed
    bool is_dead = false;            ///< a dead letter was confirmed
    std::uint64_t kept = 0;          ///< the copy of it that waits in the process; 0: none
    bool is_stale = false;           ///< its connection fell
    bool is_moving = false;          ///< something is published for it
    std::uint64_t taken = 0;         ///< its place among all that were taken

    /// Its answer was `again`, and it waits for its time where it is.
    [[nodiscard]] bool is_held() const noexcept {
        const bool waits_on = answer == said::nothing && is_early && !was_shown && !is_exceeded;
        return (answer == said::again || waits_on) && !is_stale && !is_moving && kept == 0;
    }
};

class law {
public:
    /// A message that came back more often than `returns_in_place` may stand behind later ones.
    explicit law(const scenario& told,
                 std::uint64_t returns_in_place = std::numeric_limits<std::uint64_t>::max())
        : told_{told}, returns_in_place_{returns_in_place} {}

    void ran(const in_hand& one, nanoseconds now);
    /// It is settled, by a connection that stands. `kind` is how.
    void settled(const in_hand& one, detail::settle_kind kind, nanoseconds now);
    /// Its connection fell, or its process died.
    void fell(const in_hand& one);
    /// It ends on receipt: its handler does not run.
    void exceeded(const in_hand& one);
    /// The service publishes a dead letter for it.
    void dead_letter(const in_hand& one);
    /// From now on there are several of it for one reader, and no count or time is known of each.
    void doubled(std::uint64_t id) { doubled_.insert(id); }
    /// A reader of this queue sent a copy to an address that is not its own.
    void copied_elsewhere(std::uint64_t id, const std::string& from) {
        auto& others = copied_from_[id];
        others.insert(from);
        if (others.size() > 1) doubled(id);
    }

    /// What was broken, a sentence each.
    [[nodiscard]] const std::vector<std::string>& broken() const noexcept { return broken_; }

private:
    struct record {
        std::uint32_t runs = 0;
        std::uint32_t excused = 0;  ///< runs that charged nothing
        std::uint64_t returns = 0;  ///< from a reader's hand
        nanoseconds not_before{0};
    };
    /// Competing subscriptions are one reader, and share a count.
    record& record_of(const in_hand& one) { return records_[{one.queue, one.id}]; }
    [[nodiscard]] const declaration& declared(const in_hand& one) const {
        return told_.subscriptions[one.subscription].declared;
    }
    [[nodiscard]] bool is_spent(const in_hand& one) const;
    [[nodiscard]] bool may_end(const in_hand& one) const;
    /// Do other subscriptions take from the same queue?
    [[nodiscard]] bool has_competitors(const in_hand& one) const;
    void check_order(const in_hand& one, const record& about);
    void breaks(const in_hand& one, const std::string& what);

    const scenario& told_;
    std::uint64_t returns_in_place_;
    std::map<std::pair<std::string, std::uint64_t>, record> records_;
    std::set<std::uint64_t> doubled_;
    std::map<std::uint64_t, std::set<std::string>> copied_from_;
    std::map<std::pair<std::size_t, std::string>, std::uint64_t> newest_;
    std::vector<std::string> broken_;
};

}  // namespace waybill::scenario
