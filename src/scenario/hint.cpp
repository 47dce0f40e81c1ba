// Which name was probably meant.
#include "scenario/mistakes.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace waybill::scenario {
namespace {

/// A longer name is none that a person mistyped.
constexpr std::size_t longest_name = 40;
/// So many names are listed in a message.
constexpr std::size_t short_list = 8;

char lower(char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Letters to insert, remove, replace, or swap with their neighbour (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

/// Empty where none is near enough: a third of the letters may be wrong.
std::string_view nearest(std::string_view name, std::span<const std::string_view> allowed) {
    std::string_view found;
    if (name.empty() || name.size() > longest_name) return found;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const auto each : allowed) {
        const auto away = distance(name, each);
        if (away >= least || away >= each.size()) continue;
        least = away;
        found = each;
    }
    return found;
}

}  // namespace

std::string hint_for(std::string_view name, std::span<const std::string_view> allowed) {
    if (const auto meant = nearest(name, allowed); !meant.empty()) {
        return ": did you mean " + quoted(meant) + "?";
    }
    if (allowed.empty() || allowed.size() > short_list) return {};
    std::string text = "; allowed: ";
    for (const auto each : allowed) {
        if (text.back() == '"') text += ", ";
        text += quoted(each);
    }
    return text;
}

}  // namespace waybill::scenario
