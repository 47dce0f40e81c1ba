// What a file expects to come out.
#include "scenario/reading.hpp"

#include <map>

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

}  // namespace

expectation read_expectation(fields& from) {
    expectation made;
    made.deliveries = read_counts(from.take("deliveries"));
    made.published = read_counts(from.take("published"));
    if (const auto at = from.take("settled")) {
        at->map([&](const std::string& name, const entry& each) {
            made.settled[name] = read_counts(each);
        });
    }
    made.queued = read_counts(from.take("queued"));
    made.waiting = from.count("waiting");
    made.refused = from.text("refused");
    if (const auto at = from.take("trace")) {
        at->list([&](const entry& each) {
            const bool is_object = each.map([](const std::string&, const entry&) {});
            if (is_object) made.trace.push_back(each.is());
        });
    }
    return made;
}

}  // namespace waybill::scenario
