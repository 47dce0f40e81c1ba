/// The one part that acts: carries out a plan, one lane at a time.
///
/// Guarantee: a copy is published and its confirmation awaited before the original is settled; a
/// kill at any point leaves the original or the copy or both. Every delivery that comes in is
/// settled exactly once. Settlements are collected and handed to the transport by `flush`.
///
/// Belongs to one lane; every function is called on the lane's thread.
#pragma once

#include "log/logger.hpp"
#include "settle/conditions.hpp"
#include "settle/copy.hpp"
#include "settle/count.hpp"
#include "settle/id_source.hpp"
#include "settle/mailbox.hpp"
#include "settle/plan.hpp"
#include "settle/probe.hpp"
#include "time/delay_store.hpp"
#include "time/timers.hpp"
#include <waybill/clock.hpp>
#include <waybill/declaration.hpp>
#include <waybill/delivery.hpp>
#include <waybill/detail/staging.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/outgoing.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace waybill::settle {

/// How often what happened, since the start. Relaxed; read at any time.
struct counters {
    std::atomic<std::uint64_t> delivered{0};
    std::atomic<std::uint64_t> acked{0};
    std::atomic<std::uint64_t> dropped{0};
    std::atomic<std::uint64_t> retried{0};
    std::atomic<std::uint64_t> dead_lettered{0};
    std::atomic<std::uint64_t> rejected{0};
    std::atomic<std::uint64_t> stale{0};
    std::atomic<std::uint64_t> failed_publishes{0};

    static void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount = 1) noexcept {
        counter.fetch_add(amount, std::memory_order_relaxed);
    }
};

/// What the lanes of one subscription share. Constant while it runs, but for the counters.
struct scope {
    const declaration* declared = nullptr;
    rules rule;
    counting count;
    detail::consumer* consumer = nullptr;
    detail::transport* transport = nullptr;
    time::delay_store* store = nullptr;
    time::timers* wakes = nullptr;
    clock* time = nullptr;
    const log::logger* log = nullptr;
    conditions* trouble = nullptr;
    id_source* ids = nullptr;
    probe* observer = nullptr;
    byte_buffer place;  ///< of each failure record
    std::function<void(outgoing&, const delivery&)> on_retry_copy;
    counters totals;
};

/// A delivery with what is known of it.
struct case_file {
    detail::received from;
    history past;
    std::uint32_t attempt = 1;

    [[nodiscard]] delivery view() const noexcept {
        return {from.address, from.payload, from.packed_headers, attempt, from.redelivered};
    }
    /// Unix epoch; 0: no time to live. What the first copy wrote down, else the broker's own.
    [[nodiscard]] std::int64_t expires_at_ms() const noexcept {
        return past.expires_at_ms != 0 ? past.expires_at_ms : from.expires_at_ms;
    }
};

/// By which a person finds the message again: its `waybill-id`, else the id that its publisher
/// gave it; empty: it has none. Good as long as the delivery.
[[nodiscard]] std::string_view id_for_people(const case_file& about);

/// The lane that an executor belongs to.
class home : public mailbox {
public:
    /// What came before its time and was held until then: its handler may run now.
    virtual void resume(const case_file& about) noexcept = 0;

protected:
    ~home() = default;
};

class executor {
public:
    executor(scope& shared, home& lane);
    ~executor();
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    /// Decides and acts upon an outcome. `error` is what the handler or the codec said.
    void finish(const case_file& about, outcome answer, std::string_view error = {});
    /// Decides and acts upon a delivery that threw, or could not be decoded.
    void fail(const case_file& about, dead_reason reason, std::string_view error);
    /// Publishes what the handler staged, then finishes with ack. Empties `staged`.
    void publish_then_ack(const case_file& about, detail::staging& staged);
    void execute(plan decided, const case_file& about, std::string_view error);
    /// Gives a delivery back that nobody looked at.
    void release(const case_file& about);
    /// A copy on its way to a later time came early: it waits on, and nothing is charged.
    void wait_on(const case_file& about, std::chrono::nanoseconds left);

    /// Nothing but an ack was asked for, nothing was staged, nobody observes: the path of nearly
    /// every message.
    void accept(const detail::received& from) {
        settled_.push_back({from.token, from.generation, {}, detail::settle_kind::accept});
        ++acked_;
    }

    /// The same for a retry that is known to be a requeue. False: the delivery is stale.
    bool requeue(const detail::received& from, std::chrono::nanoseconds delay) {
        if (is_stale(from)) return false;
        settled_.push_back({from.token, from.generation, delay, detail::settle_kind::requeue});
        counters::add(shared_.totals.retried);
        return true;
    }

    /// Hands what was settled to the transport.
    void flush();
    /// Deliveries whose copy is not confirmed yet, or that are held.
    [[nodiscard]] std::size_t unfinished() const noexcept {
        return moves_.size() + held_.size() + staged_.size() - given_back_;
    }
    /// Whether something published for a delivery has yet to be confirmed.
    [[nodiscard]] bool awaits_confirmation() const noexcept;
    /// After a reconnect: what is held or waits to be published again for a delivery that is stale
    /// now is over; the message comes again.
    void forget_stale();
    /// For a stop: what is held or waits to be published again is given back, and from now on so
    /// is every delivery whose copy is not taken; what awaits its confirmation may still get it,
    /// and what has not got it at the stop's limit goes back with the connection.
    void wind_down();

    [[nodiscard]] situation situation_of(const case_file& about) const;

private:
    class move;
    class held;
    class staged_move;

    [[gnu::always_inline]] void settle(const case_file& about, detail::settle_kind kind,
                                       std::chrono::nanoseconds delay) {
        settled_.push_back({about.from.token, about.from.generation, delay, kind});
        if (shared_.observer != nullptr) [[unlikely]]
            report(about, kind);
    }
    void say_fixed_wait(outcome answer) const;
    void say_dropped(const plan& decided, const case_file& about, std::string_view error) const;
    void execute_here(plan decided, const case_file& about, std::string_view error);
    [[nodiscard]] situation situation_here(const case_file& about) const;
    [[nodiscard]] std::chrono::nanoseconds time_left(const case_file& about) const;
    void report(const case_file& about, detail::settle_kind kind);
    [[nodiscard]] bool is_stale(const detail::received& from) const noexcept {
        return from.generation != shared_.consumer->generation();
    }
    [[nodiscard]] bool is_stale(const case_file& about) const noexcept {
        return is_stale(about.from);
    }

    move& spare_move(const case_file& about, const plan& decided);
    [[nodiscard]] std::string_view address_of_copies(const case_file& about) const noexcept;
    void begin_hop(const case_file& about, std::chrono::nanoseconds left);
    void count_published(publish_reason why);
    void begin_copy(const plan& decided, const case_file& about);
    void begin_dead_letter(const plan& decided, const case_file& about, std::string_view error);
    void apply_copy_hook(move& moving, std::string_view retry_source);
    void start_spare(move& moving);
    void resend(move& moving);
    /// True when the move has ended.
    bool conclude(move& moving, detail::publish_status status);
    void repeat_later(move& moving, detail::publish_status status);
    bool refused_for_good(move& moving);
    bool take_lesser_form(move& moving);
    [[nodiscard]] const std::string* lesser_address(const move& moving) const;
    [[nodiscard]] const std::string* dead_letter_address() const noexcept;
    void end_trouble(move& moving);
    void give_back(move& moving);
    void give_back(held& waiting);
    void give_back_waiting(bool only_stale);
    void settle_unless_stale(const case_file& about, detail::settle_kind kind);
    void let_go(move& moving);
    void given_back_came(move& moving);
    void given_back_came(held& waiting);
    detail::publish_status send(move& moving);

    void hold(const case_file& about, std::chrono::nanoseconds delay,
              std::optional<detail::settle_kind> then);
    void held_long_enough(held& waiting);
    void staged_concluded(staged_move& moving);

    scope& shared_;
    home& lane_;
    std::vector<detail::settle_op> settled_;
    std::vector<std::unique_ptr<move>> spare_moves_;
    std::vector<std::unique_ptr<move>> moves_;
    std::vector<std::unique_ptr<held>> held_;
    std::vector<std::unique_ptr<staged_move>> spare_staged_;
    std::vector<std::unique_ptr<staged_move>> staged_;
    std::uint64_t acked_ = 0;
    std::size_t given_back_ = 0;  ///< still owned: a timer or a ticket may yet name them
    bool winds_down_ = false;
};

}  // namespace waybill::settle
