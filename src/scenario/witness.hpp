/// Sees everything that passes between the service and its server, writes the trace, and keeps the
/// ledger and the law.
///
/// It stands in two places: as the runtime's probe, which says what handlers answered, and within
/// `watched_broker`, where each take, publish and settlement passes. One for a run, over all
/// processes of the service. For one thread.
#pragma once

#include "scenario/law.hpp"
#include "scenario/ledger.hpp"
#include "scenario/observer.hpp"
#include "scenario/trace.hpp"
#include "scenario/world.hpp"
#include <waybill/clock.hpp>
#include <waybill/detail/transport.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace waybill::scenario {

class witness final : public observer {
public:
    witness(const scenario& told, world& server, trace& into, std::shared_ptr<const clock> time);

    /// The service's process begins, or is dead: what it does from then on has no effect. @{
    void process_began();
    void process_stopped();
    void process_died();
    /// The same by a kill, and the server has lost what it kept in the process that died.
    void killed(bool loses_everything);
    [[nodiscard]] bool is_dead() const noexcept override { return is_dead_; }
    [[nodiscard]] bool is_dying() const noexcept override { return is_dying_; }
    [[nodiscard]] bool is_remote() const noexcept override { return server_.is_remote(); }
    void process_is_dying() { is_dying_ = true; }
    /// @}
    [[nodiscard]] bool is_reachable() const noexcept override { return is_reachable_; }
    void can_be_reached(bool is_so) { is_reachable_ = is_so; }
    /// The next publishes of the service to this address are not taken.
    void fail_publishes(std::string_view address, std::uint64_t times);

    /// A message of a step, published before it is counted in.
    std::expected<void, error> publish(const outgoing_view& message);
    /// An address was removed from the server.
    void remove(std::string_view address);

    // ---- observer ------------------------------------------------------------------------------
    std::size_t next_run(const delivery& message) override;
    void will_publish(const delivery& message, published_why why) override;
    void reads(std::size_t subscription, const source& from, std::string_view reader) override;
    void took(std::size_t subscription, detail::received& message,
              std::vector<std::byte>& room) override;
    void passed(const detail::settle_op& operation, bool is_stale) override;
    void closes() override;
    sent sending_now(const outgoing_view& message, std::string via) override;
    void sending_ended(const sent& one, const outgoing_view& message,
                       detail::publish_status status) override;
    /// The connections fell.
    void fell();
    /// Live: a fault may have brought messages twice from now on, and nobody can know which.
    void shaken() { is_shaken_ = true; }
    /// Live: it was under way when a fault came, and may have arrived.
    void may_have_arrived(const sent& one) { law_.doubled(one.id); }
    /// Nothing is in hand, not even what is stale and whose handler still runs.
    [[nodiscard]] bool is_idle() const;
    /// By the books nothing is on its way to a reader.
    [[nodiscard]] bool has_done_all() const;

    // ---- the probe -----------------------------------------------------------------------------
    void delivered(std::string_view subscription, const delivery& message) override;
    void answered(std::string_view subscription, const delivery& message, outcome answer,
                  std::string_view error) override;
    void exceeded(std::string_view subscription, const delivery& message) override;
    void sending(settle::publish_reason why, const delivery& of) override;
    void keeping(const delivery& of, const outgoing_view& copy) override;
    void published(settle::publish_reason, const outgoing_view&, detail::publish_status) override {}
    void settled(std::string_view subscription, std::uint32_t attempt,
                 detail::settle_kind kind) override;

    /// In hand, by subscription, without those that are held until their time.
    [[nodiscard]] counts unsettled() const;
    [[nodiscard]] std::uint64_t held() const;
    /// At the end, while the service is there: so many copies still wait in its process.
    void still_waiting(std::size_t in_process);
    /// After the service has gone: what is still somewhere is posted, and the books are closed.
    /// Empty when all is as it should be.
    struct verdict {
        std::vector<std::string> lost;
        std::vector<std::string> invented;
        std::vector<std::string> broken;
        std::uint64_t of_others = 0;  ///< found, and of another run
    };
    [[nodiscard]] verdict close();

private:
    /// A copy that waits in the process, where it cannot be tagged: known by its bytes.
    struct kept_copy {
        std::uint64_t id;
        std::string from;  ///< the queue
        std::string bytes;
        bool is_hop;                              ///< it came early, and waits on
        std::optional<nanoseconds> refused_at{};  ///< when the server did not take it last
    };

    struct reader {
        source from;
        std::string identity;
        std::string queue;
    };

    in_hand* hand_of(const delivery& message);
    [[nodiscard]] bool is_foreign(const detail::received& message, const reader& by) const;
    void take_back_kept(const in_hand& one);
    void forget_all_kept();
    void forget(void* token);
    /// What the books are told of each message that leaves the server unhandled.
    [[nodiscard]] world::visitor leaving();
    void moved(const world::movement& one);
    void confirmed(const sent& one, const outgoing_view& message);
    void copied(const sent& one, const outgoing_view& message);
    [[nodiscard]] const declaration& declared(const in_hand& one) const {
        return told_.subscriptions[one.subscription].declared;
    }
    [[nodiscard]] in_hand::said policy_of(const in_hand& one, outcome answer,
                                          std::string_view error) const;
    void show(in_hand& one, std::string_view subscription, const delivery& message);
    /// Its number; 0: there is none.
    std::uint64_t kept_for(const outgoing_view& message);
    void forget_kept(std::uint64_t number);

    const scenario& told_;
    world& server_;
    trace& trace_;
    std::shared_ptr<const clock> time_;
    ledger books_;
    law law_;
    std::unordered_map<void*, in_hand> hand_;
    std::unordered_map<const std::byte*, void*> by_payload_;
    std::unordered_map<void*, std::deque<published_why>> staged_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> runs_;
    std::unordered_set<std::uint64_t> of_steps_;  ///< messages that came from outside
    std::map<std::uint64_t, kept_copy> kept_;     ///< by number
    std::unordered_map<std::string, std::set<std::uint64_t>> kept_alike_;
    std::uint64_t last_kept_ = 0;
    std::uint64_t last_taken_ = 0;
    std::vector<reader> readers_;  ///< of each subscription
    std::vector<std::string> invented_;
    struct intent {
        settle::publish_reason why;
        void* token;
    };
    std::optional<intent> intent_;
    std::map<std::string, std::uint64_t, std::less<>> failing_;
    [[nodiscard]] bool is_failing(std::string_view address);
    /// It left the queue for good.
    void went(std::string_view queue, std::uint64_t id);

    bool is_dead_ = false;
    bool is_dying_ = false;
    bool is_shaken_ = false;
    bool is_reachable_ = true;
};

}  // namespace waybill::scenario
