#include "explain.hpp"

#include "exit_code.hpp"
#include "input.hpp"
#include "refusal.hpp"
#include "scenario/explain.hpp"
#include "scenario/read.hpp"
#include "scenario/terminal.hpp"

#include <cstdio>

namespace waybill::tool {
namespace {

/// As the verb `check` of a service prints them.
void print(const std::vector<error>& problems) {
    for (const auto& each : problems) {
        std::fprintf(stderr, "  %s\n", scenario::harmless(each.message()).c_str());
    }
    std::fprintf(stderr, "%zu problem%s.\n", problems.size(), problems.size() == 1 ? "" : "s");
}

/// One object, as for a service that is refused.
int refuse_as_json(const std::vector<scenario::mistake>& mistakes) {
    scenario::explanation none;
    for (const auto& each : mistakes) {
        none.problems.push_back({errc::argument, each.path, each.what, ""});
    }
    std::printf("%s\n", scenario::json::to_text(as_json({}, none)).c_str());
    return refused;
}

}  // namespace

int explain(const explain_options& how) {
    const auto text = read_input(how.file, scenario::most_bytes);
    if (!text) {
        std::fprintf(stderr, "%s\n", text.error().c_str());
        return refused;
    }
    const auto told = scenario::read(*text);
    if (!told && how.json) return refuse_as_json(told.error());
    if (!told) return refuse(told.error(), true);
    const auto means = scenario::explain(*told);
    if (how.json) {
        std::printf("%s\n", scenario::json::to_text(as_json(*told, means)).c_str());
    } else if (means.problems.empty()) {
        std::fputs(as_text(*told, means, scenario::wants_colour(stdout)).c_str(), stdout);
    } else {
        print(means.problems);
    }
    return means.problems.empty() ? as_expected : refused;
}

}  // namespace waybill::tool
