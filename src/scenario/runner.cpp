#include "scenario/runner.hpp"

#include "scenario/kit.hpp"
#include "scenario/service.hpp"
#include "scenario/witness.hpp"
#include "time/saturating.hpp"

#include <algorithm>
#include <utility>

namespace waybill::scenario {
namespace {

/// How long a stop waits for handlers where the step does not say.
constexpr nanoseconds stop_limit = std::chrono::seconds{25};
/// Turns of lanes and timers for each delivery: a run that only waits ends too.
constexpr std::uint64_t turns_a_delivery = 20;

class runner {
public:
    runner(const scenario& told, trace::sink to, std::uint64_t most)
        : told_{told},
          most_{most},
          time_{std::make_shared<manual_clock>()},
          server_{kit_for(told.transport)->open(told, time_)},
          trace_{time_, *kit_for(told.transport), std::move(to)},
          seen_{told, *server_, trace_, time_},
          stage_{seen_,
                 [this](nanoseconds takes, std::function<void()> give) {
                     late_.add(saturating_add(time_->now(), takes), std::move(give));
                 },
                 [this] { kill(); }} {}

    result play() {
        start();
        for (const auto& each : told_.steps) {
            if (!made_.problems.empty() || !made_.gave_up.empty()) break;
            std::visit([this](const auto& step) { take(step); }, each);
            rest();
        }
        finish();
        return std::move(made_);
    }

private:
    void take(const step::publish& step) {
        const auto payload = payload_of(step, told_, *server_->config());
        auto with = step.with;
        server_->complete(with);
        for (std::uint64_t times = 0; times < step.times; ++times) {
            const outgoing_view message{step.to, payload, with.packed(), {}, step.time_to_live};
            // Said by the trace, which shows it unconfirmed.
            (void)seen_.publish(message);
            if (!made_.gave_up.empty()) return;
            rest();
        }
    }
    void take(const step::advance& step) { pass(saturating_add(time_->now(), step.by)); }
    void take(const step::stop& step) {
        waits_to_start_ = false;
        if (!service_) return;
        service_->begin_stop();
        const auto end = saturating_add(time_->now(), step.timeout.value_or(stop_limit));
        rest();
        while (service_ && !service_->is_quiet() && happens_next(end)) rest();
        if (!service_) return;  // it died meanwhile
        if (!service_->is_quiet()) time_->advance_to(end);
        service_->stop(nanoseconds{0});
        rest();
        seen_.process_stopped();
        bury();
    }
    void take(const step::crash&) {
        waits_to_start_ = false;
        if (service_) kill();
    }
    void take(const step::restart&) {
        if (!service_) start();
    }
    void take(const step::drop_connection&) {
        if (!std::exchange(is_reachable_, false)) return;
        if (!server_->is_remote()) seen_.can_be_reached(false);
        seen_.fell();
        server_->drop_connections();
    }
    void take(const step::reconnect&) {
        if (std::exchange(is_reachable_, true)) return;
        seen_.can_be_reached(true);
        server_->reconnect();
        if (service_) service_->wake();
        if (std::exchange(waits_to_start_, false)) start();
    }
    void take(const step::fail_publishes& step) {
        if (server_->is_remote()) return seen_.fail_publishes(step.to, step.times);
        server_->fail_publishes(step.to, step.times);
    }
    void take(const step::remove& step) { seen_.remove(step.address); }
    void take(const step::restart_broker&) {
        seen_.fell();
        server_->restart();
        if (service_) service_->wake();
    }

    // ---- the service -------------------------------------------------

    /// What cannot reach its server does not start; whoever looks after it tries again later.
    void start() {
        waits_to_start_ = !is_reachable_ && server_->is_remote();
        if (waits_to_start_) return;
        server_->begins();
        seen_.process_began();
        service_ = std::make_unique<service>(told_, server_->config(), stage_, trace_, time_,
                                             service_options{.number = ++processes_});
        if (service_->start()) return;
        made_.problems = service_->problems();
        for (const auto& each : made_.problems) trace_.refused(each);
        service_ = nullptr;
    }
    /// Inside of a handler, too: then the rest of its turn is a dead process's.
    void kill() {
        if (seen_.is_dead()) return;
        seen_.process_is_dying();
        // What the server drops while it takes back what was in hand is in the books first.
        server_->killed();
        seen_.killed(service_->loses_everything());
    }
    void bury() {
        late_.clear();
        service_ = nullptr;
    }

    // ---- time --------------------------------------------------------

    /// Lets everything react that can.
    void rest() {
        while (service_) {
            if (seen_.is_dead()) return bury();
            if (!made_.gave_up.empty() || !service_->run_one()) break;
            if (++turns_ / turns_a_delivery > most_ || trace_.deliveries() > most_) give_up();
        }
        if (service_ && seen_.is_dead()) bury();
    }
    void give_up() {
        made_.gave_up = "the scenario had not come to its end after " +
                        std::to_string(trace_.deliveries()) + " deliveries in " +
                        to_text(time_->now()) +
                        " of virtual time; declare a cap or a back-off, or let less time pass";
    }

    /// Lets time pass to `end`, each thing that falls due with all that it causes before the next.
    void pass(nanoseconds end) {
        while (made_.gave_up.empty() && happens_next(end)) rest();
        if (made_.gave_up.empty()) time_->advance_to(end);
    }
    /// Moves on to what is due first and lets it happen; false when nothing is until `end`.
    bool happens_next(nanoseconds end) {
        if (++turns_ / turns_a_delivery > most_) give_up();
        const auto answers = service_ ? late_.next_due() : std::nullopt;
        const auto server = server_->next_due();
        const auto product = service_ ? service_->next_due() : std::nullopt;
        auto due = end;
        bool any = false;
        for (const auto& each : {answers, server, product}) {
            if (!each || *each > due) continue;
            due = *each;
            any = true;
        }
        if (!any || !made_.gave_up.empty()) return false;
        time_->advance_to(due);
        if (answers == due) {
            late_.give_one();
        } else if (server == due) {
            server_->tick(due);
        } else {
            service_->tick(due);
        }
        return true;
    }

    // ---- the end -----------------------------------------------------

    void finish() {
        made_.totals = trace_.counted();
        const auto waiting = service_ ? service_->waiting_in_process() : 0;
        made_.totals.queued = server_->queued();
        made_.totals.unsettled = seen_.unsettled();
        made_.totals.waiting = server_->waiting() + waiting + seen_.held();
        trace_.ended(made_.totals);
        seen_.still_waiting(waiting);
        if (service_) seen_.process_died();
        bury();
        auto judged = seen_.close();
        made_.lost = std::move(judged.lost);
        made_.invented = std::move(judged.invented);
        made_.broken = std::move(judged.broken);
    }

    const scenario& told_;
    std::uint64_t most_;
    result made_;
    std::shared_ptr<manual_clock> time_;
    std::unique_ptr<world> server_;
    trace trace_;
    witness seen_;
    late_answers late_;
    stage stage_;
    std::unique_ptr<service> service_;
    bool is_reachable_ = true;
    bool waits_to_start_ = false;
    std::size_t processes_ = 0;
    std::uint64_t turns_ = 0;
};

}  // namespace

result play(const scenario& told, trace::sink to, std::uint64_t most) {
    return runner{told, std::move(to), most}.play();
}

}  // namespace waybill::scenario
