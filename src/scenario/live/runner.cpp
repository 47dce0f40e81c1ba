#include "scenario/live/runner.hpp"

#include "scenario/kit.hpp"
#include "scenario/live/event_clock.hpp"
#include "scenario/live/live_world.hpp"
#include "scenario/live/process.hpp"
#include "scenario/live/retelling.hpp"
#include "scenario/live/told.hpp"
#include "scenario/message_type.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

extern char** environ;

namespace waybill::scenario {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// Nothing has happened for so long: everything has reacted that could.
constexpr std::chrono::milliseconds quiet = 100ms;
constexpr std::chrono::seconds longest_rest = 20s;
/// So much later than its time a server may let a wait end, and a service hear of it.
constexpr std::chrono::milliseconds lateness = 250ms;
constexpr std::chrono::seconds to_start = 60s;
constexpr std::chrono::seconds to_connect_again = 60s;
constexpr nanoseconds stop_limit = 25s;
/// A service's connections to its server: one that reads and one that publishes.
constexpr std::size_t connections_of_one = 2;

/// Says what went wrong, or "".
std::string run(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (auto& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    pid_t id = -1;
    if (::posix_spawnp(&id, program.c_str(), nullptr, nullptr, pointers.data(), environ) != 0) {
        return "--control: " + program + " cannot be run";
    }
    int status = 0;
    if (::waitpid(id, &status, 0) < 0 || status != 0) {
        return "--control: " + program + ' ' + arguments.at(1) + " failed";
    }
    return {};
}

class live_runner {
public:
    live_runner(const scenario& told, const std::string& text, const live_options& how,
                rabbitmq::connection_settings to, trace::sink into)
        : told_{told},
          text_{text},
          how_{how},
          server_{told,
                  std::move(to),
                  {[this] { return run(how_.control, {"restart"}); },
                   [this](const std::string& at) { return run(how_.control, {"delete", at}); }}},
          trace_{time_, *kit_for(told.transport),
                 [this, into = std::move(into)](const json::value& line) {
                     if (!is_over_) into(line);
                 }},
          seen_{told, server_, trace_, time_},
          retold_{told, seen_, trace_} {}

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
        const auto payload = payload_of(step);
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
        const auto end = steady::now() + std::min<nanoseconds>(step.by, 24h * 365) + lateness;
        while (steady::now() < end) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady::now());
            const bool is_quiet = !hear(std::min(left, 4 * quiet));
            if (is_quiet && left > 5 * quiet && nothing_can_happen()) return;
        }
    }
    void take(const step::stop& step) {
        waits_to_start_ = false;
        if (!service_) return;
        service_->commands().send(
            json::object{{"stop", std::int64_t{step.timeout.value_or(stop_limit).count()}}});
        while (service_ && !service_->events().is_over()) hear(100ms);
        if (!service_) return;  // it died meanwhile
        service_->wait();
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
        server_.drop_connections();
        rest();
        shake();
        seen_.fell();
    }
    void take(const step::reconnect&) {
        if (std::exchange(is_reachable_, true)) return;
        server_.reconnect();
        if (service_) wait_until_connected();
        if (std::exchange(waits_to_start_, false)) start();
    }
    void take(const step::fail_publishes& step) { seen_.fail_publishes(step.to, step.times); }
    void take(const step::remove& step) { seen_.remove(step.address); }
    void take(const step::restart_broker&) {
        server_.restart();
        shake();
        seen_.fell();
        if (service_ && is_reachable_) wait_until_connected();
    }

    [[nodiscard]] bytes payload_of(const step::publish& step) const {
        if (!step.value) return step.payload;
        const auto reader = std::ranges::find_if(told_.subscriptions, [&](const auto& each) {
            return server_.config()->reads(each.declared.from, step.to);
        });
        const subscription nobody;
        auto written = encode(*step.value, reader != told_.subscriptions.end() ? *reader : nobody);
        return written ? std::move(*written) : bytes{};
    }

    // ---- the service -------------------------------------------------

    void start() {
        waits_to_start_ = !is_reachable_;
        if (waits_to_start_) return;
        service_ = std::make_unique<process>(how_.program, how_.arguments);
        seen_.process_began();
        service_->commands().send(json::object{{"file", text_}, {"url", server_.url()}});
        is_up_ = false;
        const auto end = steady::now() + to_start;
        while (service_ && !is_up_ && !service_->events().is_over() && steady::now() < end) {
            hear(100ms);
        }
        if (is_up_ || !made_.problems.empty()) return;
        made_.problems.push_back({errc::failed, "the service", "its process did not start", ""});
    }
    /// What other threads had begun ends first, so that the same is lost each time.
    void kill_in_handler() {
        rest();
        if (service_) kill();
    }
    void kill() {
        service_->kill();
        seen_.process_is_dying();
        while (!service_->events().is_over()) hear(100ms);
        shake();
        seen_.killed(false);
        bury();
    }
    /// From now on nobody knows what the server has of what was under way.
    void shake() {
        seen_.shaken();
        retold_.doubt_all();
    }
    void bury() {
        retold_.forget_all();
        service_ = nullptr;
    }
    void wait_until_connected() {
        const auto end = steady::now() + to_connect_again;
        while (server_.connections() < connections_of_one && steady::now() < end) hear(50ms);
    }

    // ---- what happens ------------------------------------------------

    /// One thing that is told within that time; false when nothing is.
    bool hear(std::chrono::milliseconds at_most) {
        if (!service_) {
            std::this_thread::sleep_for(at_most);
            return false;
        }
        const auto line = service_->events().receive(at_most);
        if (!line) {
            if (service_->events().is_over()) std::this_thread::sleep_for(at_most / 10);
            return false;
        }
        time_->goes_to(nanoseconds{told::signed_in(*line, "at")});
        if (const auto via = told::text_in(*line, "via"); !via.empty()) server_.waits_in(via);
        if (!retold_.hear(*line, service_->events())) hear_of_process(*line);
        return true;
    }
    void hear_of_process(const json::value& line) {
        const auto what = told::text_in(line, "do");
        if (what == "up") {
            is_up_ = true;
        } else if (what == "crash") {
            if (!seen_.is_dying()) kill_in_handler();
        } else if (what == "refused") {
            for (const auto& each : *line.find("problems")->items()) {
                made_.problems.push_back({static_cast<errc>(told::number_in(each, "code")),
                                          told::text_in(each, "where"), told::text_in(each, "what"),
                                          told::text_in(each, "fix")});
            }
        }
    }
    /// Lets everything react that can.
    void rest() {
        const auto end = steady::now() + longest_rest;
        const auto waits_for_answer = [&] {
            return service_ && is_reachable_ && retold_.is_sending();
        };
        while (steady::now() < end && (hear(quiet) || waits_for_answer())) {
        }
    }
    bool nothing_can_happen() {
        return !expires_ && seen_.is_idle() &&
               (!service_ || !is_reachable_ || server_.is_empty()) && server_.waiting() == 0;
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
        std::size_t in_process = 0;
        if (service_ && service_->commands().send(json::object{{"waiting", true}})) {
            const auto answer = service_->commands().receive(5s);
            if (answer) in_process = told::number_in(*answer, "waiting");
        }
        made_.totals = trace_.counted();
        made_.totals.queued = server_.queued();
        made_.totals.unsettled = seen_.unsettled();
        made_.totals.waiting = server_.waiting() + in_process + seen_.held();
        trace_.ended(made_.totals);
        is_over_ = true;
        seen_.still_waiting(in_process);
        if (service_) {
            service_->kill();
            while (!service_->events().is_over()) hear(100ms);
            shake();
            seen_.process_died();
            bury();
            // The server takes back what a connection had in hand when it sees its end.
            std::this_thread::sleep_for(quiet);
        }
        auto judged = seen_.close();
        // The server tells nobody what expired in it.
        if (!expires_) made_.lost = std::move(judged.lost);
        if (expires_ && how_.remark) {
            how_.remark(
                "messages of this file may expire in the server, which does not say so: "
                "whether one was lost is not judged");
        }
        made_.invented = std::move(judged.invented);
        made_.broken = std::move(judged.broken);
        made_.gave_up = server_.trouble();
        server_.clean_up();
    }

    /// Does anything in the file make the server itself act later?
    [[nodiscard]] static bool may_expire(const scenario& told) {
        const auto& how = static_cast<const rabbitmq_options&>(*told.broker);
        const auto topology = json::to_text(how.topology);
        if (topology.find("ttl") != topology.npos || topology.find("expires") != topology.npos) {
            return true;
        }
        return std::ranges::any_of(told.steps, [](const auto& each) {
            const auto* one = std::get_if<step::publish>(&each);
            return one != nullptr && one->with.contains(rabbitmq::property::expiration);
        });
    }

    const scenario& told_;
    const std::string& text_;
    const live_options& how_;
    const bool expires_ = may_expire(told_);
    std::shared_ptr<event_clock> time_ = std::make_shared<event_clock>();
    live_world server_;
    trace trace_;
    witness seen_;
    retelling retold_;
    std::unique_ptr<process> service_;
    result made_;
    bool is_over_ = false;  ///< what is told now is for the books alone
    bool is_up_ = false;
    bool is_reachable_ = true;
    bool waits_to_start_ = false;
};

error refusal(std::string where, std::string what, std::string fix) {
    return {errc::wiring, std::move(where), std::move(what), std::move(fix)};
}

/// What such a run cannot do.
std::vector<error> objections(const scenario& told, const live_options& how) {
    std::vector<error> all;
    if (told.transport != "rabbitmq") {
        all.push_back(refusal("transport", "there is no real server for " + told.transport,
                              "play it in process, without --live"));
    }
    const bool needs_control = std::ranges::any_of(told.steps, [](const auto& each) {
        return std::holds_alternative<step::restart_broker>(each) ||
               std::holds_alternative<step::remove>(each);
    });
    if (needs_control && how.control.empty()) {
        all.push_back(refusal("steps", "restart_broker and delete need somebody who can do it",
                              "name a program by --control, which is called with restart, or with "
                              "delete and the address"));
    }
    return all;
}

void remark_on_time(const scenario& told, const live_options& how) {
    constexpr nanoseconds long_time = 3min;
    nanoseconds all{0};
    for (const auto& each : told.steps) {
        const auto* one = std::get_if<step::advance>(&each);
        if (one != nullptr) all += std::min<nanoseconds>(one->by, 24h * 365);
    }
    if (all > long_time && how.remark) {
        how.remark("the steps let " + to_text(all) +
                   " pass, and time is real here; an advance ends early when nothing can happen "
                   "any more");
    }
}

}  // namespace

result play_live(const scenario& told, const std::string& text, const live_options& how,
                 trace::sink to) {
    result made;
    made.problems = objections(told, how);
    auto settings = rabbitmq::parse_url(how.url);
    if (!settings) {
        for (auto& each : settings.error()) made.problems.push_back(std::move(each));
    } else if (settings->tls.on) {
        made.problems.push_back(refusal("--live", "a run goes through a gate that knows no TLS",
                                        "give the server's amqp:// URL"));
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
