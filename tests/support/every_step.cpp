#include "every_step.hpp"

#include "faulty_broker.hpp"
#include "step_ledger.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/waybill.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace every_step_story {

struct item {
    std::uint64_t id;
};
struct note {
    static constexpr std::string_view address = "notes";
    std::uint64_t id;      ///< of the message that it was staged for
    std::uint64_t number;  ///< among those of one delivery
};

}  // namespace every_step_story

namespace support {
namespace {

using every_step_story::item;
using every_step_story::note;
using waybill::outcome;
using waybill::wiring::run_mode;
using waybill::wiring::runtime;

// ---- stories -----------------------------------------------------------------------------------

enum class trouble : std::uint8_t {
    none,
    staged,
    retry,
    retry_after,
    drop,
    exception,
    undecodable,
    unsettled,
};

enum class form : std::uint8_t { plain, reply, deferred };

/// Four messages: the first and the last are acked at once, the second is in trouble whenever it is
/// delivered, the third once.
struct story {
    const char* name;
    trouble what;
    form handler = form::plain;
    std::uint32_t cap = 3;
    bool retries_elsewhere = false;  ///< copies to a fixed address, which is the queue's own
};

constexpr std::array stories{
    story{"ack", trouble::none},
    story{"staged", trouble::staged},
    story{"reply", trouble::staged, form::reply},
    story{"retry", trouble::retry},
    story{"retry_after", trouble::retry_after},
    story{"drop", trouble::drop},
    story{"exception", trouble::exception},
    story{"undecodable", trouble::undecodable},
    story{"retry_uncapped", trouble::retry, form::plain, 0},
    story{"retry_to", trouble::retry, form::plain, 3, true},
    story{"retry_after_to", trouble::retry_after, form::plain, 3, true},
    story{"deferred_ack", trouble::none, form::deferred},
    story{"deferred_staged", trouble::staged, form::deferred},
    story{"deferred_retry", trouble::retry, form::deferred},
    story{"deferred_retry_after", trouble::retry_after, form::deferred},
    story{"deferred_drop", trouble::drop, form::deferred},
    story{"deferred_exception", trouble::exception, form::deferred},
    story{"deferred_unsettled", trouble::unsettled, form::deferred},
};

constexpr std::uint64_t always_in_trouble = 2;
constexpr std::uint64_t once_in_trouble = 3;
constexpr std::uint64_t message_count = 4;
constexpr auto asked_delay = 7s;
constexpr std::size_t staged_each = 2;

bool is_in_trouble(std::uint64_t id) { return id == always_in_trouble || id == once_in_trouble; }

ending ending_of(const story& told, std::uint64_t id) {
    if (!is_in_trouble(id)) return ending::acked;
    switch (told.what) {
        case trouble::none:
        case trouble::staged:
        case trouble::unsettled:
            return ending::acked;
        case trouble::drop:
            return ending::dropped;
        case trouble::undecodable:
            return ending::dead;
        case trouble::retry:
        case trouble::retry_after:
        case trouble::exception:
            return id == always_in_trouble && told.cap != 0 ? ending::dead : ending::acked;
    }
    return ending::acked;
}

// ---- one run -----------------------------------------------------------------------------------

/// JSON, and a step for each payload that is decoded.
class watched_json final : public waybill::codec_interface {
public:
    explicit watched_json(course& run) : run_{run} {}

    [[nodiscard]] std::string_view name() const noexcept override { return json_->name(); }
    [[nodiscard]] std::string_view content_type() const noexcept override {
        return json_->content_type();
    }
    [[nodiscard]] bool supports(const waybill::value_type& type) const noexcept override {
        return json_->supports(type);
    }
    std::expected<void, waybill::error> decode(const waybill::value_type& type, void* object,
                                               std::span<const std::byte> payload,
                                               waybill::arena& kept) const override {
        auto read = json_->decode(type, object, payload, kept);
        if (run_.is_dead()) return read;
        // A lane decodes into an object of its own.
        run_.ledger.decoded(object, payload.data(), read.has_value());
        run_.reach(step::decoded);
        return read;
    }
    std::expected<void, waybill::error> encode(const waybill::value_type& type, const void* object,
                                               waybill::byte_buffer& out) const override {
        return json_->encode(type, object, out);
    }

private:
    course& run_;
    waybill::codec json_ = waybill::codecs::json();
};

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
          ledger_{server_.broker->capabilities_of(source_), told_.cap, time_},
          course_{ledger_, chosen.confirms, chosen.planned, server_.drop_connections} {}

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
    struct held {
        waybill::settlement right;
        std::uint64_t id;
        const std::byte* payload;
    };

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

    // ---- before and after ----------------------------------------------------------------------

    void publish_all() {
        bystander person{*this};
        wire_drain(person);  // so that every address is known to the server
        person.start();
        const auto publisher = person.broker->publisher();
        for (std::uint64_t id = 1; id <= message_count; ++id) {
            tracked_message message{id, ending_of(told_, id), {}};
            waybill::headers with{{"x-id", id}};
            if (id == always_in_trouble) {
                message.root = "root";
                with.append("waybill-id", message.root);
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
        reader.broker->subscribe(chosen_.path->queue("notes"), [this](const note& one) {
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
        auto app = service();
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

    bool reacts() { return running_->run_one() || course_.confirm_one() || use_settlement(); }

    void end(fault why) {
        if (why == fault::none) ledger_.stopping();
        if (why == fault::none || why == fault::stop) {
            while (reacts()) {
            }
        }
        if (why == fault::stop_at_limit) course_.confirm_unattended();
        course_.confirm_at_once();
        const bool finished = running_->stop(0ns);
        if (!finished && (why == fault::none || why == fault::stop)) {
            ledger_.problem("a stop that had all its time did not finish");
        }
        const auto after = running_->health().state;
        if (after != waybill::health_state::stopped) ledger_.problem("it is not stopped after all");
        // Too late: these do nothing.
        for (auto& each : held_) std::move(each.right).ack();
        held_.clear();
        running_.reset();
        ledger_.session_ended(why == fault::stop_at_limit);
        course_.say("the process has ended");
    }

    waybill::app service() {
        waybill::app app{"service", "1"};
        app.log_level(waybill::log_level::off).time(time_);
        app.codec(std::make_shared<watched_json>(course_));
        auto& broker = app.broker(faulty_broker{server_.broker, &course_});
        auto& wired = subscribe(broker);
        wired.name("service").concurrency(chosen_.lanes);
        if (told_.cap != 0) wired.max_attempts(told_.cap).dead_letter("orders.dead");
        if (told_.retries_elsewhere) wired.retry_to("orders");
        return app;
    }

    waybill::subscription& subscribe(waybill::broker& broker) {
        if (told_.handler == form::reply) {
            return broker.subscribe(source_, [this](const item& one, waybill::context& with) {
                ran(with);
                if (!is_in_trouble(one.id)) return waybill::reply<note>{answer(one.id, with)};
                ledger_.answered(payload_of(with), {said::kind::ack, 0ns, 1});
                return waybill::reply<note>{note{one.id, 0}};
            });
        }
        if (told_.handler == form::deferred) {
            return broker.subscribe(
                source_, [this](const item& one, waybill::context& with, waybill::out<note> notes,
                                waybill::settlement right) {
                    ran(with);
                    stage(one.id, notes);
                    const bool throws = told_.what == trouble::exception;
                    if (throws && is_in_trouble_now(one.id))
                        std::ignore = troubled(payload_of(with));
                    held_.push_back({std::move(right), one.id, payload_of(with)});
                });
        }
        return broker.subscribe(
            source_, [this](const item& one, waybill::context& with, waybill::out<note> notes) {
                ran(with);
                stage(one.id, notes);
                return answer(one.id, with);
            });
    }

    // ---- handlers ------------------------------------------------------------------------------

    static const std::byte* payload_of(const waybill::context& with) {
        return with.message().payload().data();
    }

    void ran(const waybill::context& with) {
        if (course_.is_dead()) return;
        ledger_.ran(payload_of(with), with.attempt());
        course_.reach(step::handling);
    }

    void stage(std::uint64_t id, waybill::out<note>& notes) const {
        for (std::size_t at = 0; at < staged_with(id); ++at) notes.publish(note{id, at});
    }

    [[nodiscard]] std::size_t staged_with(std::uint64_t id) const {
        return told_.what == trouble::staged && is_in_trouble(id) ? staged_each : 0;
    }

    /// Whether this delivery is answered with the story's trouble.
    bool is_in_trouble_now(std::uint64_t id) {
        const auto before = times_[id]++;
        if (told_.what == trouble::none || told_.what == trouble::staged) return false;
        if (told_.what == trouble::drop) return is_in_trouble(id);
        if (id == once_in_trouble) return before == 0;
        if (id != always_in_trouble) return false;
        // What nothing bounds has to come to an end by itself.
        return before < 3 || (told_.cap != 0 && told_.what != trouble::unsettled);
    }

    outcome answer(std::uint64_t id, const waybill::context& with) {
        return is_in_trouble_now(id) ? troubled(payload_of(with)) : acked(id, payload_of(with));
    }

    outcome acked(std::uint64_t id, const std::byte* payload) {
        ledger_.answered(payload, {said::kind::ack, 0ns, staged_with(id)});
        return waybill::ack();
    }

    outcome troubled(const std::byte* payload) {
        if (told_.what == trouble::drop) {
            ledger_.answered(payload, {said::kind::drop});
            return waybill::drop();
        }
        const auto delay = told_.what == trouble::retry_after ? asked_delay : 0s;
        ledger_.answered(payload, {said::kind::again, delay});
        if (told_.what == trouble::exception) throw std::runtime_error("no");
        return waybill::retry_after(delay);
    }

    /// Answers the delivery that was deferred last; false when none is.
    bool use_settlement() {
        if (held_.empty()) return false;
        auto used = std::move(held_.back());
        held_.pop_back();
        course_.reach(step::answering);
        const bool is_troubled = told_.what != trouble::exception && is_in_trouble_now(used.id);
        if (is_troubled && told_.what == trouble::unsettled) return true;
        const auto given = is_troubled ? troubled(used.payload) : acked(used.id, used.payload);
        std::move(used.right).settle(given);
        return true;
    }

    const setting& chosen_;
    const story& told_;
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    tried_server server_;
    waybill::source source_;
    step_ledger ledger_;
    course course_;
    std::shared_ptr<runtime> running_;
    std::map<std::uint64_t, std::uint64_t> times_;
    std::vector<held> held_;
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

every_step_report every_step(const tried_path& path, std::string_view only) {
    every_step_report all;
    const auto wanted = [&](const setting& one) { return one.name().starts_with(only); };
    for (const auto& told : stories) {
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
