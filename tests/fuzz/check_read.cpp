#include "check_read.hpp"

#include "scenario/read.hpp"
#include "targets.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace fuzz {
namespace {

namespace scenario = waybill::scenario;

void check(bool holds, const char* promise) {
    if (!holds) throw broken{promise};
}

/// The same value comes of what it is written as.
void check_tree(std::string_view text) {
    const auto tree = scenario::json::parse(text);
    if (!tree) return check(tree.error().starts_with("line "), "an error says where it is");
    const auto written = scenario::json::to_text(*tree);
    const auto again = scenario::json::parse(written);
    check(again.has_value(), "what was written can be read");
    check(*again == *tree, "what was written is the same value");
}

}  // namespace

void check_read(std::span<const std::byte> input) {
    const std::string_view text{reinterpret_cast<const char*>(input.data()), input.size()};
    check_tree(text);
    const auto read = scenario::read(text);
    if (read) {
        check(read->broker != nullptr, "a scenario has its server's options");
        check(std::ranges::none_of(read->subscriptions,
                                   [](const auto& each) { return each.handler.empty(); }),
              "a handler answers something");
        return;
    }
    check(!read.error().empty(), "a refusal has a reason");
    for (const auto& each : read.error()) {
        check(each.path.starts_with('$'), "a mistake has its place");
        check(scenario::json::parse(scenario::json::to_text(each.what)) ==
                  scenario::json::value{each.what},
              "what is said of a mistake is UTF-8");
    }
}

}  // namespace fuzz
