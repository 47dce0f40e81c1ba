#include "scenario/mistakes.hpp"

#include "message/utf8_character.hpp"

#include <algorithm>
#include <map>

namespace waybill::scenario {
namespace {

/// So much of what a file says is repeated in a message.
constexpr std::size_t longest_quote = 60;

bool is_plain(std::string_view name) {
    return !name.empty() && name.size() <= longest_quote &&
           std::ranges::all_of(name, [](char letter) {
               return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
           });
}

using by_path = std::multimap<std::string, std::string, std::less<>>;

/// Moves the mistakes at this value and inside of it.
void move_in_order(const json::value& at, const std::string& path, by_path& from,
                   std::vector<mistake>& to) {
    const auto next = from.lower_bound(path);
    if (next == from.end() || !next->first.starts_with(path)) return;
    for (auto here = next; here != from.end() && here->first == path; here = from.erase(here)) {
        to.push_back({path, std::move(here->second)});
    }
    if (const auto* items = at.items()) {
        for (std::size_t index = 0; index < items->size(); ++index) {
            move_in_order((*items)[index], path_of_element(path, index), from, to);
        }
    } else if (const auto* members = at.members()) {
        for (const auto& each : *members) {
            move_in_order(each.is, path_of_member(path, each.name), from, to);
        }
    }
}

}  // namespace

void report(std::vector<mistake>& to, std::string_view path, std::string what) {
    if (to.size() < most_mistakes) {
        to.push_back({std::string{path}, std::move(what)});
    } else if (to.size() == most_mistakes) {
        to.push_back({"$", "there are more mistakes than these " + std::to_string(most_mistakes)});
    }
}

std::string path_of_member(std::string_view path, std::string_view name) {
    std::string text{path};
    if (is_plain(name)) {
        text += '.';
        text += name;
    } else {
        text += '[' + quoted(name) + ']';
    }
    return text;
}

std::string path_of_element(std::string_view path, std::size_t index) {
    std::string text{path};
    text += '[' + std::to_string(index) + ']';
    return text;
}

std::string quoted(std::string_view text) {
    if (text.size() <= longest_quote) return json::to_text(text);
    std::size_t size = 0;
    while (size < longest_quote)
        size += std::max<std::size_t>(1, character_at_front(text.substr(size)));
    return json::to_text(std::string{text.substr(0, size)} + "...");
}

std::string shown(const json::value& what) {
    if (const auto* text = what.text()) return quoted(*text);
    if (what.is_number() || what.boolean() != nullptr) return json::to_text(what);
    return std::string{what.kind_in_words()};
}

std::vector<mistake> in_order_of(const json::value& file, std::vector<mistake> mistakes) {
    by_path all;
    for (auto& each : mistakes) all.emplace(std::move(each.path), std::move(each.what));
    std::vector<mistake> sorted;
    move_in_order(file, "$", all, sorted);
    for (auto& [path, what] : all) sorted.push_back({path, std::move(what)});
    return sorted;
}

}  // namespace waybill::scenario
