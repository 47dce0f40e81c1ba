#include "scenario/live/runner.hpp"

#include "scenario/kit.hpp"
#include "scenario/live/child_service.hpp"
#include "scenario/live/event_clock.hpp"
#include "scenario/live/limits.hpp"
#include "scenario/live/live_world.hpp"
#include "scenario/message_type.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace waybill::scenario {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// Nothing has happened for so long: everything has reacted that could.
constexpr std::chrono::milliseconds quiet = 100ms;
constexpr std::chrono::seconds longest_rest = 20s;
/// So much later than its time a server may let a wait end, and the service hear of it.
constexpr std::chrono::milliseconds lateness = 500ms;
constexpr nanoseconds stop_limit = 25s;

class live_runner {
public:
    live_runner(const scenario& told, const std::string& text, const live_options& how,
                rabbitmq::connection_settings to, trace::sink into)
        : told_{told},
          text_{text},
          how_{how},
          server_{told, std::move(to), control_by(how.control)},
          trace_{time_, *kit_for(told.transport),
                 [this, into = std::move(into)](const json::value& line) {
                     if (!is_over_) into(line);
                 }},
          seen_{told, server_, trace_, time_},
          service_{told, how, server_, seen_, trace_, *time_} {}

    result play() {
        made_.problems = server_.prepare(how_.discards);
        if (!made_.problems.empty()) return refused();
        start();
        for (const auto& each : told_.steps) {
            if (!made_.problems.empty() || !server_.trouble().empty()) break;
            time_->goes_to_now();
            std::visit([this](const auto& step) { take(step); }, each);
            rest();
        }
        if (!made_.problems.empty()) {
            server_.clean_up();
            return refused();
        }
        finish();
        return std::move(made_);
    }

private:
    // ---- steps -------------------------------------------------------

    void take(const step::publish& step) {
        const auto payload = payload_of(step, told_, *server_.config());
        auto with = step.with;
        server_.complete(with);
        for (std::uint64_t times = 0; times < step.times; ++times) {
            time_->goes_to_now();
            (void)seen_.publish({step.to, payload, with.packed(), {}, step.time_to_live});
        }
    }
    /// What falls due at its very end has happened when it is over. Ends early when nothing can
    /// happen any more.
    void take(const step::advance& step) {
        const auto end = steady::now() + std::min<nanoseconds>(step.by, 24h * 365);
        if (pass_until(end) && server_.waiting() != 0) pass_until(end + lateness);
    }
    /// False: it ended early.
    bool pass_until(steady::time_point end) {
        while (steady::now() < end) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady::now());
            const bool is_quiet = !service_.hear(std::min(left, 4 * quiet));
            if (is_quiet && left > 5 * quiet && nothing_can_happen()) return false;
        }
        return true;
    }
    void take(const step::stop& step) {
        waits_to_start_ = false;
        service_.stop(step.timeout.value_or(stop_limit));
    }
    void take(const step::crash&) {
        waits_to_start_ = false;
        if (!service_.is_there()) return;
        service_.kill();
    }
    void take(const step::restart&) {
        if (!service_.is_there()) start();
    }
    void take(const step::drop_connection&) {
        if (!server_.is_reachable()) return;
        server_.drop_connections();
        rest();
        service_.shake();
        seen_.fell();
    }
    void take(const step::reconnect&) {
        if (server_.is_reachable()) return;
        server_.reconnect();
        service_.wait_until_connected();
        if (std::exchange(waits_to_start_, false)) start();
    }
    void take(const step::fail_publishes& step) { seen_.fail_publishes(step.to, step.times); }
    void take(const step::remove& step) { seen_.remove(step.address); }
    void take(const step::restart_broker&) {
        server_.restart();
        service_.shake();
        seen_.fell();
        if (server_.is_reachable()) service_.wait_until_connected();
    }

    // ---- between them ------------------------------------------------

    void start() {
        waits_to_start_ = !server_.is_reachable();
        if (waits_to_start_) return;
        made_.problems = service_.start(text_);
    }
    void rest() { service_.rest(quiet, longest_rest); }
    bool nothing_can_happen() {
        const bool is_read = service_.is_there() && server_.is_reachable();
        // What is on its way from one queue to another shows in none.
        const bool is_done = !is_read || (seen_.has_done_all() && server_.is_empty());
        return !expires_ && seen_.is_idle() && is_done && server_.waiting() == 0;
    }

    // ---- the end -----------------------------------------------------

    result refused() {
        for (const auto& each : made_.problems) trace_.refused(each);
        made_.totals = trace_.counted();
        trace_.ended(made_.totals);
        return std::move(made_);
    }
    void finish() {
        rest();
        time_->goes_to_now();
        const auto in_process = service_.waiting();
        made_.totals = trace_.counted();
        made_.totals.queued = server_.queued();
        made_.totals.unsettled = seen_.unsettled();
        made_.totals.waiting = server_.waiting() + in_process + seen_.held();
        trace_.ended(made_.totals);
        is_over_ = true;
        seen_.still_waiting(in_process);
        service_.end();
        auto judged = seen_.close();
        // The server tells nobody what expired in it.
        if (!expires_) made_.lost = std::move(judged.lost);
        if (expires_ && how_.remark) {
            how_.remark(
                "messages of this file may expire in the server, which does not say so: "
                "whether one was lost is not judged");
        }
        remark_on_others(service_.passed_over() + judged.of_others);
        made_.invented = std::move(judged.invented);
        made_.broken = std::move(judged.broken);
        made_.gave_up = server_.trouble();
        server_.clean_up();
    }

    void remark_on_others(std::uint64_t count) {
        if (count == 0 || !how_.remark) return;
        how_.remark(std::to_string(count) + (count == 1 ? " message" : " messages") +
                    " of another run came back and " + (count == 1 ? "was" : "were") +
                    " passed over");
    }

    const scenario& told_;
    const std::string& text_;
    const live_options& how_;
    const bool expires_ = may_expire(told_);
    std::shared_ptr<event_clock> time_ = std::make_shared<event_clock>();
    live_world server_;
    trace trace_;
    witness seen_;
    child_service service_;
    result made_;
    bool is_over_ = false;  ///< what is told now is for the books alone
    bool waits_to_start_ = false;
};

}  // namespace

result play_live(const scenario& told, const std::string& text, const live_options& how,
                 trace::sink to) {
    result made;
    made.problems = objections(told, how);
    auto settings = rabbitmq::parse_url(how.url);
    if (!settings) {
        for (auto& each : settings.error()) made.problems.push_back(std::move(each));
    }
    if (!made.problems.empty()) {
        trace log{std::make_shared<event_clock>(), *kit_for(told.transport), std::move(to)};
        for (const auto& each : made.problems) log.refused(each);
        log.ended(made.totals);
        return made;
    }
    remark_on_time(told, how);
    return live_runner{told, text, how, std::move(*settings), std::move(to)}.play();
}

}  // namespace waybill::scenario
