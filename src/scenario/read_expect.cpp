// What a file expects to come out.
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace waybill::scenario {
namespace {

using counts = std::map<std::string, std::uint64_t>;

counts read_counts(const std::optional<entry>& from) {
    counts made;
    if (!from) return made;
    from->map([&](const std::string& name, const entry& each) {
        if (const auto count = each.count()) made[name] = *count;
    });
    return made;
}

/// A kind that there is not would count 0, and hold for ever.
void check_kinds(const entry& of_one) {
    static constexpr std::array<std::string_view, 6> kinds{"accepted", "requeued", "released",
                                                           "rejected", "left",     "stale"};
    of_one.map([](const std::string& name, const entry& each) {
        if (std::ranges::find(kinds, name) != kinds.end()) return;
        each.wrong(quoted(name) + " is no way to settle" + hint_for(name, kinds));
    });
}

void check_event(const entry& line) {
    static constexpr std::array<std::string_view, 10> events{
        "started", "refused", "exceeded",        "delivered", "outcome",
        "settled", "stopped", "refused_outcome", "warning",   "published"};
    line.map([](const std::string& name, const entry& each) {
        const auto* event = name == "event" ? each.is().text() : nullptr;
        if (event == nullptr || *event == "ended") return;
        if (std::ranges::find(events, *event) != events.end()) return;
        each.wrong(quoted(*event) + " is no event" + hint_for(*event, events));
    });
}

}  // namespace

expectation read_expectation(fields& from) {
    expectation made;
    made.deliveries = read_counts(from.take("deliveries"));
    made.published = read_counts(from.take("published"));
    if (const auto at = from.take("settled")) {
        at->map([&](const std::string& name, const entry& each) {
            made.settled[name] = read_counts(each);
            if (each.is().members() != nullptr) check_kinds(each);
        });
    }
    made.queued = read_counts(from.take("queued"));
    made.waiting = from.count("waiting");
    made.refused = from.text("refused");
    if (const auto at = from.take("trace")) {
        at->list([&](const entry& each) {
            const bool is_object = each.map([](const std::string&, const entry&) {});
            if (!is_object) return;
            check_event(each);
            made.trace.push_back(each.is());
        });
    }
    return made;
}

}  // namespace waybill::scenario
