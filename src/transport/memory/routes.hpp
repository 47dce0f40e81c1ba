/// Which queues take what is published to an address.
///
/// Guarantee: looking an address up and its routing cost nothing that grows with the number of
/// addresses or of queues; a queue that is opened for one name makes that name be routed anew, one
/// for a pattern every address, each with its next publish. Guarded by the store's lock.
#pragma once

#include "transport/memory/backlog.hpp"
#include "transport/memory/name_hash.hpp"
#include "transport/memory/patterns.hpp"
#include <waybill/memory.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::memory {

/// A name that something was published to, or that is read.
struct address {
    std::string name;
    backlog* first_target = nullptr;
    std::vector<backlog*> more_targets;
    std::vector<backlog*> own;         ///< the queues of exactly this name
    std::uint64_t routed_at = 0;       ///< the routing generation its targets are of
    std::uint64_t one_push_at = 0;     ///< the same, where a publish is one push and cannot fail
    const limits* limit = nullptr;     ///< null: none
    const retention* keep = nullptr;   ///< null: none
    std::unique_ptr<backlog> history;  ///< what late fan-out readers are given
    bool is_planned_to_fail = false;

    template <class F>
    void for_each_target(F&& visit) const {
        visit(first_target);
        for (auto* further : more_targets) visit(further);
    }
};

class routes {
public:
    /// Found or made. On the path of every publish, and so inlined there.
    [[gnu::always_inline]] address& named(std::string_view name, std::uint64_t hash) {
        for (auto at = hash & mask_; table_[at].at != nullptr; at = (at + 1) & mask_) {
            if (table_[at].hash == hash && same_name(table_[at].at->name, name)) {
                return *table_[at].at;
            }
        }
        return make(name, hash);
    }
    address& named(std::string_view name) { return named(name, hash_of(name)); }

    /// What `address::routed_at` must be for its targets to be right.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
    /// Finds the targets. When nobody reads the address, what comes is kept in a queue of its own
    /// until somebody does. False: it is no address to publish to, and it never counts as routed,
    /// so that only the first publish pays for the check.
    bool route(address& to);
    /// It is routed anew with the next publish.
    static void forget(address& to) noexcept { to.routed_at = to.one_push_at = 0; }
    void forget_all() noexcept { ++generation_; }

    /// The queue of that name, or a fan-out reader's; found or made. It has readers from now on.
    backlog& serve(std::string_view name, std::string_view pattern, bool fan_out, bool& is_new);
    /// Null when there is none; a fan-out reader's is found too.
    [[nodiscard]] const backlog* find(std::string_view name) const;

    template <class F>
    void for_each_queue(F&& visit) {
        for_each_served(visit);
        for (const auto& each : addresses_) {
            if (each->history) visit(*each->history);
        }
    }
    /// The same without the histories: what readers can take.
    template <class F>
    void for_each_served(F&& visit) const {
        for (const auto& each : queues_) visit(*each.second);
    }
    /// Visits every address that a source of this name reads.
    template <class F>
    void for_each_match(std::string_view pattern, F&& visit) {
        if (!is_wild(pattern)) return visit(named(pattern));
        for (const auto& each : addresses_) {
            if (is_match(pattern, each->name)) visit(*each);
        }
    }
    /// Visits the queues that keep what nobody reads and that the pattern matches, which then keep
    /// nothing any more.
    template <class F>
    void adopt(std::string_view pattern, F&& visit) {
        for (auto at = kept_.lower_bound(fixed_part(pattern));
             at != kept_.end() && at->first.starts_with(fixed_part(pattern));) {
            if (!is_match(pattern, at->first)) {
                ++at;
                continue;
            }
            visit(*at->second);
            at = kept_.erase(at);
        }
    }

private:
    struct slot {
        std::uint64_t hash = 0;
        address* at = nullptr;
    };

    address& make(std::string_view name, std::uint64_t hash);
    void grow();
    backlog& queue(std::string_view name, std::string_view pattern, bool fan_out, bool& is_new);
    [[nodiscard]] static std::string_view fixed_part(std::string_view pattern) noexcept;
    [[nodiscard]] static bool is_wild(std::string_view name) noexcept;
    [[nodiscard]] static bool is_match(std::string_view pattern, std::string_view name) noexcept;

    std::vector<slot> table_{64};  ///< open addressing, a power of two, at most half full
    std::uint64_t mask_ = 63;
    std::vector<std::unique_ptr<address>> addresses_;
    std::map<std::string, std::unique_ptr<backlog>, std::less<>> queues_;
    std::map<std::string_view, backlog*> kept_;  ///< those that nobody reads, by name
    patterns patterns_;
    std::uint64_t generation_ = 1;
};

}  // namespace waybill::memory
