#include "scenario/service.hpp"

#include "scenario/watched_broker.hpp"
#include "wiring/app_core.hpp"
#include "wiring/facts.hpp"
#include "wiring/runtime.hpp"

#include <algorithm>

namespace waybill::scenario {
namespace {

/// What other lines of the trace say already.
bool is_said(std::string_view event) {
    constexpr std::string_view known[] = {"dead_lettered", "dropped", "handler_failed",
                                          "undecodable", "health"};
    return std::ranges::find(known, event) != std::end(known);
}

/// In the place of the handlers until the plans have theirs.
outcome no_answer(std::span<const std::byte> /*payload*/) { return ack(); }

/// The members behind the event's name, as a sentence of a log has them.
std::string in_words(const json::value& line) {
    std::string text{*line.find("event")->text()};
    for (const auto& [name, is] : *line.members()) {
        if (name == "at" || name == "level" || name == "event") continue;
        text += text.ends_with(':') ? " " : (text.find(' ') == text.npos ? ": " : ", ");
        text += name + ' ' + (is.text() != nullptr ? *is.text() : json::to_text(is));
    }
    return text;
}

}  // namespace

service::service(const scenario& told, std::shared_ptr<const detail::broker_config> server,
                 stage& on, trace& into, std::shared_ptr<clock> time, service_options how)
    : told_{told}, trace_{into}, seen_{on.seen}, how_{how}, app_{"scenario", "1"} {
    auto& at = app_.broker(watched_broker{std::move(server), on.seen});
    for (const auto& each : told.subscriptions) declare(each, at);
    const auto& core = *app_.core();
    const auto plans = core.plans.front()->routes.plans();
    for (std::size_t which = 0; which < plans.size(); ++which) {
        const auto& each = told.subscriptions[which];
        plans[which]->declared = each.declared;
        const auto* decodes = types_[which] ? &types_[which]->type() : nullptr;
        plans[which]->handler = make_handler(each, on, decodes);
        plans[which]->format = codec_of(each.codec);
    }
    if (how.number != 0) {
        core.settings->id_prefix = how.number == 1 ? "id" : "id" + std::to_string(how.number);
    }
    app_.time(std::move(time)).log_format(log_format::json).log_level(log_level::info);
    app_.log_to([this](std::string_view line) { hear(line); });
}

service::~service() {
    if (running_) running_->stop(nanoseconds{0});
}

void service::declare(const subscription& told, waybill::broker& at) {
    at.subscribe(told.declared.from, no_answer);
    const bool decodes = told.codec != codec_name::raw && !told.message.empty();
    types_.push_back(decodes ? make_message_type(told.message) : nullptr);
}

bool service::start() {
    running_ = wiring::runtime::make(
        *app_.core(), how_.has_threads ? wiring::run_mode::threads : wiring::run_mode::one_by_one,
        &seen_);
    auto started = running_->start();
    if (!started) {
        problems_ = std::move(started.error());
        running_ = nullptr;
        return false;
    }
    for (const auto& each : app_.core()->resolve()) {
        const auto& declared = each.plan->declared;
        trace_.started(each.name, wiring::facts_of(declared, running_->can_do(each)));
    }
    return true;
}

bool service::run_one() { return running_->run_one(); }
std::optional<nanoseconds> service::next_due() const { return running_->next_due(); }
void service::tick(nanoseconds now) { running_->tick(now, 1); }

void service::begin_stop() {
    for (const auto& each : running_->running()) each->stop();
}

bool service::is_quiet() const {
    return std::ranges::all_of(running_->running(),
                               [](const auto& each) { return each->is_quiet(); });
}

void service::stop(nanoseconds limit) { running_->stop(limit); }

void service::wake() {
    if (seen_.is_remote()) return running_->try_now();
    for (const auto& each : running_->running()) each->reconnected();
}

std::size_t service::waiting_in_process() const { return running_->waiting_in_process(); }

/// What a server keeps does not depend on who reads it.
bool service::loses_everything() const {
    const auto from = told_.subscriptions.empty() ? source{} : told_.subscriptions[0].declared.from;
    const auto& server = *app_.core()->plans.front()->config;
    return server.capabilities_of(from).loses == detail::kill_loss::everything;
}

/// What only the log says: warnings, and how a stop ended.
void service::hear(std::string_view line) {
    if (seen_.is_dead() || seen_.is_dying()) return;
    const bool is_grave = line.find(R"("level":"info")") == line.npos;
    if (!is_grave && line.find(R"("event":"stopped")") == line.npos) return;
    const auto read = json::parse(line);
    if (!read) return;
    const auto& event = *read->find("event")->text();
    if (event == "stopped") {
        trace_.stopped(read->find("pending_delays")->unsigned_integer().value_or(0),
                       read->find("lost")->unsigned_integer().value_or(0));
    } else if (event == "refused_outcome") {
        trace_.refused_outcome(in_words(*read));
    } else if (!is_said(event)) {
        trace_.warning(in_words(*read));
    }
}

}  // namespace waybill::scenario
