/// Figures of this machine for people: a line each, in whole units, with the target beside it.
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

namespace bench {

/// 1234567 as "1,234,567".
inline std::string in_groups(double value) {
    const auto digits = std::to_string(std::llround(std::abs(value)));
    std::string text;
    if (std::llround(value) < 0) text += '-';
    for (std::size_t at = 0; at < digits.size(); ++at) {
        if (at != 0 && (digits.size() - at) % 3 == 0) text += ',';
        text += digits[at];
    }
    return text;
}

inline void print_heading(const char* title) {
    std::printf("\n%-52s %12s  %-16s %s\n", title, "value", "unit", "target");
}

/// `target` is the most it should be.
inline void print_figure(const std::string& name, double value, const char* unit,
                         std::optional<double> target = std::nullopt) {
    std::printf("%-52s %12s  %-16s ", name.c_str(), in_groups(value).c_str(), unit);
    if (target) {
        std::printf("<= %s%s\n", in_groups(*target).c_str(), value > *target ? "  missed" : "");
    } else {
        std::printf("-\n");
    }
    std::fflush(stdout);
}

}  // namespace bench
