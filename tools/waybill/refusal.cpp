#include "refusal.hpp"

#include "exit_code.hpp"
#include "scenario/kit.hpp"
#include "scenario/terminal.hpp"
#include "scenario/text.hpp"
#include "scenario/trace.hpp"
#include <waybill/clock.hpp>

#include <cstdio>
#include <memory>

namespace waybill::tool {

int refuse(const std::vector<scenario::mistake>& mistakes, bool as_text) {
    if (as_text) {
        const bool is_coloured = scenario::wants_colour(stdout);
        std::fputs(scenario::text_of(mistakes, is_coloured).c_str(), stdout);
        return refused;
    }
    // Nothing was said on any transport.
    const auto& any = *scenario::kit_for("memory");
    scenario::trace lines{std::make_shared<manual_clock>(), any,
                          [](const scenario::json::value& line) {
                              std::printf("%s\n", scenario::json::to_text(line).c_str());
                          }};
    for (const auto& each : mistakes) lines.refused({errc::argument, each.path, each.what, ""});
    lines.ended({});
    return refused;
}

}  // namespace waybill::tool
