// How long retries wait, and what happens to what failed.
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"

#include <array>

namespace waybill::scenario {
namespace {

std::vector<nanoseconds> read_delays(const entry& from) {
    std::vector<nanoseconds> delays;
    from.list([&](const entry& each) {
        if (const auto delay = each.duration()) delays.push_back(*delay);
    });
    return delays;
}

backoff read_exponential(const entry& from) {
    const auto delays = read_delays(from);
    const auto* items = from.is().items();
    if (items != nullptr && items->size() != 2) {
        from.wrong(R"(this is the first delay and the longest, as in ["1s", "5m"])");
    }
    return delays.size() == 2 ? backoff::exponential(delays[0], delays[1]) : backoff{};
}

}  // namespace

backoff read_backoff(const entry& from) {
    backoff made;
    from.object([&](fields& one) {
        const auto exponential = one.take("exponential");
        const auto fixed = one.take("fixed");
        const auto list = one.take("list");
        if (exponential) made = read_exponential(*exponential);
        if (fixed) made = backoff::fixed(fixed->duration().value_or(nanoseconds{1}));
        if (list) made = backoff::list(read_delays(*list));
        if (int{exponential.has_value()} + int{fixed.has_value()} + int{list.has_value()} != 1) {
            one.wrong(R"(a back-off has one of "exponential", "fixed" and "list")");
        }
    });
    return made;
}

std::optional<failure_policy> read_failure_policy(const entry& from) {
    static constexpr std::array<std::string_view, 5> words{"ack", "drop", "retry", "retry_after",
                                                           "dead_letter"};
    const auto text = from.text();
    if (!text) return std::nullopt;
    if (*text == "dead_letter") return to_dead_letter;
    if (const auto given = answer_of(*text)) {
        using kind = answer::kind;
        if (given->what == kind::ack) return ack();
        if (given->what == kind::drop) return drop();
        if (given->what == kind::retry) return retry();
        if (given->what == kind::retry_after) {
            // Not `retry_after`, which makes a retry of a delay of zero.
            return outcome{outcome_kind::retry_after, given->delay};
        }
    }
    const auto word = std::string_view{*text}.substr(0, text->find(' '));
    from.wrong(word == "retry_after"
                   ? quoted(*text) + R"( needs a duration, as in "retry_after 30s")"
                   : quoted(*text) + " is no outcome" + hint_for(word, words));
    return std::nullopt;
}

}  // namespace waybill::scenario
