#include "scenario/trial.hpp"

#include "scenario/runner.hpp"
#include "scenario/write.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace waybill::scenario {
namespace {

/// More than any made-up scenario needs, so that one without an end is soon found out.
constexpr std::uint64_t most_deliveries_tried = 20'000;

bool is_retry(const answer& one) {
    return one.what == answer::kind::retry ||
           (one.what == answer::kind::retry_after && one.delay <= nanoseconds{0});
}

/// One in the place of the other.
bool exchange_retries(answers& list) {
    bool has_changed = false;
    for (auto& each : list) {
        if (!is_retry(each)) continue;
        const bool is_plain = each.what == answer::kind::retry;
        each.what = is_plain ? answer::kind::retry_after : answer::kind::retry;
        has_changed = true;
    }
    return has_changed;
}

bool exchange_retries(failure_policy& policy) {
    const auto answer = policy.answer();
    if (policy.is_dead_letter() || answer.delay() > nanoseconds{0}) return false;
    const bool is_plain = answer.kind() == outcome_kind::retry;
    if (!is_plain && answer.kind() != outcome_kind::retry_after) return false;
    policy = outcome{is_plain ? outcome_kind::retry_after : outcome_kind::retry, {}};
    return true;
}

/// The scenario with each retry said the other way; nothing where there is none.
std::optional<scenario> said_otherwise(const scenario& told) {
    auto other = told;
    bool has_changed = false;
    for (auto& each : other.subscriptions) {
        auto& declared = each.declared;
        has_changed |= exchange_retries(declared.on_exception);
        if (declared.on_undecodable) has_changed |= exchange_retries(*declared.on_undecodable);
        has_changed |= exchange_retries(each.handler);
        for (auto& [payload, list] : each.handler_for) has_changed |= exchange_retries(list);
    }
    return has_changed ? std::optional{std::move(other)} : std::nullopt;
}

/// By what it says, where it says more than which event it is.
void count(const json::value& line, counts& into) {
    if (const auto* outcome = line.find("outcome")) {
        ++into["outcome " + *outcome->text()];
    } else if (const auto* as = line.find("as")) {
        ++into[*as->text()];
    } else if (const auto* why = line.find("why")) {
        ++into["published " + *why->text()];
    } else {
        ++into[*line.find("event")->text()];
    }
}

void count_steps(const scenario& told, counts& into) {
    const auto file = write(told);
    for (const auto& each : *file.find("steps")->items()) {
        ++into["step " + each.members()->front().name];
    }
}

/// A line in which `retry` and `retry_after 0s` are the same word.
json::value with_one_word(json::value line) {
    for (auto& each : *line.members()) {
        if (each.name == "outcome" && each.is == json::value{"retry_after"} &&
            *line.find("delay_ms") == json::value{0}) {
            each.is = "retry";
        }
    }
    return line;
}

/// The first line in which the other telling differs.
std::optional<fault> compare(const std::vector<json::value>& lines, const scenario& other) {
    std::size_t at = 0;
    std::string difference;
    (void)play(
        other,
        [&](const json::value& line) {
            const auto came = with_one_word(line);
            const bool is_same = at < lines.size() && lines[at] == came;
            if (!is_same && difference.empty()) {
                difference =
                    "retry and retry_after 0s differ in line " + std::to_string(at + 1) +
                    " of the trace: " + (at < lines.size() ? json::to_text(lines[at]) : "nothing") +
                    " and " + json::to_text(came);
            }
            ++at;
        },
        most_deliveries_tried);
    if (difference.empty() && at == lines.size()) return std::nullopt;
    if (difference.empty()) difference = "the trace ends sooner with retry_after 0s for retry";
    return fault{fault::kind::unequal, std::move(difference)};
}

/// Tells a run that spins from one that has only much to do in the time that passes.
class pace {
public:
    void see(const json::value& line) {
        if (*line.find("event")->text() != "delivered") return;
        ++deliveries_;
        const auto& at = *line.find("at_ms");
        if (at == instant_) {
            ++at_once_;
        } else {
            instant_ = at;
            at_once_ = 1;
        }
        most_at_once_ = std::max(most_at_once_, at_once_);
    }
    [[nodiscard]] bool spins() const {
        return deliveries_ < most_deliveries_tried / 2 || most_at_once_ > most_deliveries_tried / 2;
    }

private:
    json::value instant_;
    std::uint64_t deliveries_ = 0;
    std::uint64_t at_once_ = 0;
    std::uint64_t most_at_once_ = 0;
};

std::optional<fault> fault_of(const result& came, const pace& run) {
    if (!came.lost.empty()) return fault{fault::kind::lost, came.lost.front()};
    if (!came.invented.empty()) return fault{fault::kind::invented, came.invented.front()};
    if (!came.broken.empty()) return fault{fault::kind::broken, came.broken.front()};
    if (!came.gave_up.empty() && run.spins()) return fault{fault::kind::endless, came.gave_up};
    return std::nullopt;
}

}  // namespace

std::string_view name_of(fault::kind what) noexcept {
    switch (what) {
        case fault::kind::lost:
            return "lost";
        case fault::kind::invented:
            return "invented";
        case fault::kind::broken:
            return "broken";
        case fault::kind::endless:
            return "endless";
        case fault::kind::unequal:
            return "unequal";
    }
    return "broken";
}

void exercise::add(const exercise& other) {
    runs += other.runs;
    for (const auto& [name, count] : other.events) events[name] += count;
}

std::optional<fault> try_out(const scenario& told, exercise& into) {
    const auto other = said_otherwise(told);
    std::vector<json::value> lines;
    pace run;
    ++into.runs;
    count_steps(told, into.events);
    const auto came = play(
        told,
        [&](const json::value& line) {
            count(line, into.events);
            run.see(line);
            if (other) lines.push_back(with_one_word(line));
        },
        most_deliveries_tried);
    if (auto found = fault_of(came, run)) return found;
    return other ? compare(lines, *other) : std::nullopt;
}

}  // namespace waybill::scenario
