#include "scenario/expect.hpp"

#include <algorithm>
#include <string_view>

namespace waybill::scenario {
namespace {

constexpr std::string_view own_prefix = "waybill-";

bool is_pair(const json::value& each, std::string_view name) {
    const auto* pair = each.items();
    return pair != nullptr && pair->size() == 2 && (*pair)[0].text() != nullptr &&
           *(*pair)[0].text() == name;
}

bool holds_pair(const json::array& pairs, const std::string& name, const json::value& value) {
    const auto is_that = [&](const json::value& each) {
        return is_pair(each, name) && (*each.items())[1] == value;
    };
    if (!value.is_null()) return std::ranges::any_of(pairs, is_that);
    // Absent, or a null that is really there.
    return std::ranges::none_of(pairs, [&](const auto& each) { return is_pair(each, name); }) ||
           std::ranges::any_of(pairs, is_that);
}

/// Exactly these, but for the runtime's own unless they are listed.
bool are_pairs(const json::array& pairs, const json::array& wanted) {
    const auto is_listed = [&](const json::value& each) {
        const auto& name = *(*each.items())[0].text();
        return !name.starts_with(own_prefix) ||
               std::ranges::any_of(wanted, [&](const auto& one) { return is_pair(one, name); });
    };
    json::array left;
    std::ranges::copy_if(pairs, std::back_inserter(left), is_listed);
    return left == wanted;
}

bool are_headers(const json::value* came, const json::value& wanted) {
    if (came == nullptr || came->items() == nullptr) return wanted.is_null();
    if (const auto* list = wanted.items()) return are_pairs(*came->items(), *list);
    const auto* all = wanted.members();
    return all != nullptr && std::ranges::all_of(*all, [&](const auto& each) {
               return holds_pair(*came->items(), each.name, each.is);
           });
}

/// Of an object, each member that is wanted.
bool is_like(const json::value* came, const json::value& wanted) {
    if (wanted.is_null()) return came == nullptr || came->is_null();
    if (came == nullptr) return false;
    const auto* members = wanted.members();
    if (members == nullptr || came->members() == nullptr) return *came == wanted;
    return std::ranges::all_of(
        *members, [&](const auto& each) { return is_like(came->find(each.name), each.is); });
}

bool is_line(const json::value& came, const json::value& wanted) {
    return std::ranges::all_of(*wanted.members(), [&](const auto& each) {
        const auto* found = came.find(each.name);
        return each.name == "headers" ? are_headers(found, each.is) : is_like(found, each.is);
    });
}

std::string differs(const std::string& what, std::uint64_t wanted, std::uint64_t came) {
    return what + ": expected " + std::to_string(wanted) + ", got " + std::to_string(came);
}

std::uint64_t count_in(const counts& all, const std::string& name) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : 0;
}

std::string first_count(const std::string& kind, const counts& wanted, const counts& came) {
    for (const auto& [name, count] : wanted) {
        const auto got = count_in(came, name);
        if (got != count) return differs(kind + " " + name, count, got);
    }
    return {};
}

std::string first_settled(const expectation& wanted, const summary& came) {
    for (const auto& [name, kinds] : wanted.settled) {
        const auto found = came.settled.find(name);
        const counts none;
        const auto& got = found != came.settled.end() ? found->second : none;
        if (auto text = first_count("settled " + name, kinds, got); !text.empty()) return text;
    }
    return {};
}

}  // namespace

void trace_match::see(const json::value& line) {
    if (next_ < wanted_->size() && is_line(line, (*wanted_)[next_])) ++next_;
}

std::string first_difference(const expectation& wanted, const result& came,
                             const trace_match& lines) {
    const auto& totals = came.totals;
    for (auto text :
         {first_count("deliveries", wanted.deliveries, totals.deliveries),
          first_count("published", wanted.published, totals.published),
          first_settled(wanted, totals), first_count("queued", wanted.queued, totals.queued)}) {
        if (!text.empty()) return text;
    }
    if (wanted.waiting && *wanted.waiting != totals.waiting) {
        return differs("waiting", *wanted.waiting, totals.waiting);
    }
    if (const auto missing = lines.missing()) {
        return "trace: element " + std::to_string(*missing) +
               " did not come (after those before it): " + json::to_text(wanted.trace[*missing]);
    }
    return {};
}

}  // namespace waybill::scenario
