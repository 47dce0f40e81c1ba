/// Reads and plays a scenario that stands in a test as text.
#pragma once

#include "scenario/expect.hpp"
#include "scenario/read.hpp"
#include "scenario/runner.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace support {

struct played {
    waybill::scenario::scenario told;
    std::vector<waybill::scenario::json::value> lines;
    waybill::scenario::result came;
    std::string difference;  ///< from what the file expects; empty: none

    [[nodiscard]] std::string text() const {
        std::string all;
        for (const auto& each : lines) {
            waybill::scenario::json::write(each, all);
            all += '\n';
        }
        return all;
    }
    /// The lines of one event.
    [[nodiscard]] std::vector<waybill::scenario::json::value> events(std::string_view name) const {
        std::vector<waybill::scenario::json::value> found;
        for (const auto& each : lines) {
            if (*each.find("event")->text() == name) found.push_back(each);
        }
        return found;
    }
};

/// Throws std::runtime_error with every mistake when the text is no scenario.
inline played play_text(std::string_view text) {
    namespace scenario = waybill::scenario;
    auto told = scenario::read(text);
    if (!told) {
        std::string all = "the scenario is refused:";
        for (const auto& each : told.error()) all += "\n  " + each.path + ": " + each.what;
        throw std::runtime_error(all);
    }
    played made{std::move(*told), {}, {}, {}};
    const scenario::expectation nothing;
    const auto& wanted = made.told.expect ? *made.told.expect : nothing;
    scenario::trace_match lines{wanted.trace};
    made.came = scenario::play(made.told, [&](const scenario::json::value& line) {
        lines.see(line);
        made.lines.push_back(line);
    });
    made.difference = scenario::first_difference(wanted, made.came, lines);
    return made;
}

}  // namespace support
