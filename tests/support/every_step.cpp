#include "every_step.hpp"

#include "faulty_broker.hpp"
#include "step_ledger.hpp"
#include "step_story.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/waybill.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace support {
namespace {

using waybill::wiring::run_mode;
using waybill::wiring::runtime;

// ---- one run -----------------------------------------------------------------------------------

struct setting {
    const story* told = nullptr;
    const tried_path* path = nullptr;
    std::int64_t lanes = 1;
    confirmations confirms = confirmations::at_once;
    course::obstacle planned;

    [[nodiscard]] std::string name() const {
        return std::string{told->name} + '/' + path->name + '/' + std::to_string(lanes) + '/' +
               (confirms == confirmations::at_once ? "at_once" : "later") + '/' +
               std::to_string(planned.at) + '/' + name_of(planned.what);
    }
};

class trial {
public:
    explicit trial(const setting& chosen)
        : chosen_{chosen},
          told_{*chosen.told},
          server_{chosen.path->start()},
          source_{chosen.path->queue("orders")},
          ledger_{capabilities(), told_.cap, time_, server_.has_window},
          course_{
              ledger_, chosen.confirms, chosen.planned, {server_.drop_connections, server_.admit}},
          service_{told_, course_, chosen.path->dead_letter, chosen.path->delay} {}

    void go() {
        publish_all();
        for (int sessions = 0; session(); ++sessions) {
            if (sessions == 3) return ledger_.problem("it was interrupted more than once");
        }
        drain();
        ledger_.close();
    }

    void trace_into(std::string& text) {
        course_.trace = [&text](const std::string& line) { text += "    " + line + '\n'; };
    }
    [[nodiscard]] const std::vector<step>& steps() const { return course_.steps(); }
    [[nodiscard]] const std::string& problems() const { return ledger_.problems(); }

private:
    /// An app that nothing happens to.
    struct bystander {
        explicit bystander(const trial& of) : app{"bystander", "1"} {
            app.log_level(waybill::log_level::off).time(of.time_);
            broker = &app.broker(faulty_broker{of.server_.broker});
        }
        void start() {
            running = runtime::make(*app.core(), run_mode::by_hand, nullptr);
            if (!running->start()) throw std::runtime_error("the bystander does not start");
        }
        waybill::app app;
        waybill::broker* broker;
        std::shared_ptr<runtime> running;
    };

    [[nodiscard]] waybill::detail::capabilities capabilities() const {
        auto can = server_.can ? *server_.can : server_.broker->capabilities_of(source_);
        can.drop_is_rejected |= told_.rejects_drops;
        return can;
    }

    // ---- before and after ----------------------------------------------------------------------

    void publish_all() {
        bystander person{*this};
        // So that every address is known to the server.
        if (!server_.has_addresses) wire_drain(person);
        person.start();
        const auto publisher = person.broker->publisher();
        for (std::uint64_t id = 1; id <= message_count; ++id) {
            tracked_message message{id, ending_of(told_, id), {}, 0};
            waybill::headers with{{"x-id", id}};
            if (id == always_in_trouble) {
                message.root = "root";
                with.append("waybill-id", message.root);
            }
            if (told_.what == trouble::foreign && is_in_trouble(id)) {
                message.others_attempts = 1;
                with.append("waybill-retry-count", "1").append("waybill-retry-source", "another");
            }
            ledger_.published(message);
            const bool is_good = told_.what != trouble::undecodable || !is_in_trouble(id);
            const auto text = (is_good ? "{\"id\":" : "[") + std::to_string(id) + "}";
            const auto bytes = std::as_bytes(std::span{text});
            if (!publisher.publish("orders", bytes, with)) ledger_.problem("nothing was published");
        }
        person.running->stop(0ns);
    }

    void wire_drain(bystander& reader) {
        const auto read = [&](const char* name, auto found) {
            reader.broker->subscribe(chosen_.path->queue(name),
                                     [found](std::span<const std::byte>, waybill::context& with) {
                                         found(with.message());
                                     });
        };
        read("orders", [this](const auto& one) { ledger_.left_over(id_in(one.headers())); });
        read("orders.dead",
             [this](const auto& one) { ledger_.found_dead(id_in(one.headers()), one.headers()); });
        reader.broker->subscribe(chosen_.path->queue("notes"), [this](const story_note& one) {
            ledger_.found_staged(one.id, one.number);
        });
    }

    void drain() {
        bystander reader{*this};
        wire_drain(reader);
        reader.start();
        while (reader.running->run_one()) {
        }
        reader.running->stop(0ns);
    }

    // ---- the process ---------------------------------------------------------------------------

    /// From start to stop; true when it was interrupted, so that another must go on.
    bool session() {
        auto app =
            service_.make(faulty_broker{server_.broker, &course_}, source_, chosen_.lanes, time_);
        running_ = runtime::make(*app.core(), run_mode::by_hand, nullptr);
        course_.begin([this] {
            for (const auto& each : running_->running()) each->stop();
        });
        course_.say("a process starts");
        if (const auto started = running_->start(); !started) {
            ledger_.problem("the app does not start: " + started.error().front().message());
            return false;
        }
        std::size_t moves = 0;
        while (course_.interrupted_by() == fault::none && goes_on()) {
            if (++moves < 20'000) continue;
            ledger_.problem("it does not come to rest");
            break;
        }
        const auto why = course_.interrupted_by();
        end(why);
        return why != fault::none;
    }

    /// One move; false when nothing is left to do, now or later.
    bool goes_on() {
        if (reacts()) return true;
        ledger_.rests(running_->health(), running_->waiting_in_process());
        const auto due = running_->next_due();
        if (!due) return false;
        time_->advance_to(*due);
        if (course_.trace) course_.say("it is " + waybill::to_text(*due));
        running_->tick(*due, 1);
        return true;
    }

    bool reacts() {
        return running_->run_one() || course_.confirm_one() || service_.use_settlement();
    }

    void end(fault why) {
        if (why == fault::none) ledger_.stopping();
        const bool has_time = why != fault::stop_at_limit && why != fault::kill;
        if (has_time) {
            while (reacts()) {
            }
        }
        if (why == fault::stop_at_limit) course_.confirm_unattended();
        course_.confirm_at_once();
        const bool finished = running_->stop(0ns);
        if (!finished && has_time) {
            ledger_.problem("a stop that had all its time did not finish");
        }
        const auto after = running_->health().state;
        if (after != waybill::health_state::stopped) ledger_.problem("it is not stopped after all");
        service_.use_settlements_too_late();
        running_.reset();
        if (server_.admit) server_.admit(true);
        ledger_.session_ended(why == fault::stop_at_limit);
        course_.say("the process has ended");
    }

    const setting& chosen_;
    const story& told_;
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    tried_server server_;
    waybill::source source_;
    step_ledger ledger_;
    course course_;
    story_service service_;
    std::shared_ptr<runtime> running_;
};

// ---- every run ---------------------------------------------------------------------------------

std::vector<step> steps_of(const setting& chosen) {
    trial undisturbed{chosen};
    undisturbed.go();
    return undisturbed.steps();
}

void report(const setting& chosen, const std::string& problems, every_step_report& into) {
    // Some hundred runs may fail for one reason.
    constexpr std::size_t most_text = 20'000;
    if (into.problems.size() > most_text) return;
    into.problems += chosen.name() + '\n' + problems;
}

void run(const setting& chosen, bool traced, every_step_report& into) {
    ++into.runs;
    trial one{chosen};
    std::string trace;
    if (traced) one.trace_into(trace);
    one.go();
    if (!one.problems().empty()) report(chosen, one.problems() + trace, into);
}

}  // namespace

every_step_report every_step(const tried_path& path, std::string_view only,
                             std::span<const std::string_view> of) {
    every_step_report all;
    const auto wanted = [&](const setting& one) { return one.name().starts_with(only); };
    for (const auto& told : stories) {
        if (!of.empty() && std::ranges::find(of, told.name) == of.end()) continue;
        for (const std::int64_t lanes : {1, 3}) {
            for (const auto confirms : {confirmations::at_once, confirmations::later}) {
                setting chosen{&told, &path, lanes, confirms, {}};
                if (wanted(chosen)) run(chosen, !only.empty(), all);
                const auto steps = steps_of(chosen);
                for (std::size_t at = 1; at <= steps.size(); ++at) {
                    for (std::uint8_t kind = 0; kind < fault_count; ++kind) {
                        const auto what = static_cast<fault>(kind);
                        if (!applies(what, steps[at - 1])) continue;
                        chosen.planned = {at, what};
                        if (wanted(chosen)) run(chosen, !only.empty(), all);
                    }
                }
            }
        }
    }
    return all;
}

std::string_view only_this_step() {
    const char* only = std::getenv("WAYBILL_EVERY_STEP");
    return only != nullptr ? only : "";
}

}  // namespace support
