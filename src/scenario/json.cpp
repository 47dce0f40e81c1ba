#include "scenario/json.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace waybill::scenario::json {
namespace {

/// A floating number that is an integer of `Integer`, exactly.
template <class Integer>
std::optional<Integer> exact(double number) noexcept {
    // The limit behind the largest is a power of two, which a double holds.
    constexpr auto half = std::numeric_limits<Integer>::max() / 2 + 1;
    constexpr double behind = 2 * static_cast<double>(half);
    if (!(number >= static_cast<double>(std::numeric_limits<Integer>::min())) || number >= behind) {
        return std::nullopt;
    }
    const auto whole = static_cast<Integer>(number);
    if (static_cast<double>(whole) != number) return std::nullopt;
    return whole;
}

}  // namespace

std::optional<std::int64_t> value::integer() const noexcept {
    if (const auto* number = std::get_if<std::int64_t>(&is_)) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(&is_)) {
        if (std::in_range<std::int64_t>(*number)) return static_cast<std::int64_t>(*number);
    }
    if (const auto* number = floating()) return exact<std::int64_t>(*number);
    return std::nullopt;
}

std::optional<std::uint64_t> value::unsigned_integer() const noexcept {
    if (const auto* number = std::get_if<std::uint64_t>(&is_)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(&is_)) {
        if (*number >= 0) return static_cast<std::uint64_t>(*number);
    }
    if (const auto* number = floating()) return exact<std::uint64_t>(*number);
    return std::nullopt;
}

bool value::is_number() const noexcept {
    return std::holds_alternative<std::int64_t>(is_) ||
           std::holds_alternative<std::uint64_t>(is_) || std::holds_alternative<double>(is_);
}

const value* value::find(std::string_view name) const noexcept {
    const auto* all = members();
    if (all == nullptr) return nullptr;
    const auto found = std::ranges::find(*all, name, &member::name);
    return found == all->end() ? nullptr : &found->is;
}

std::string_view value::kind_in_words() const noexcept {
    if (is_null()) return "null";
    if (boolean() != nullptr) return "true or false";
    if (text() != nullptr) return "text";
    if (items() != nullptr) return "a list";
    if (members() != nullptr) return "an object";
    return "a number";
}

bool operator==(const value& a, const value& b) noexcept {
    if (a.is_number() && b.is_number()) {
        if (const auto whole = a.integer()) return whole == b.integer();
        if (const auto whole = a.unsigned_integer()) return whole == b.unsigned_integer();
        return a.floating() != nullptr && b.floating() != nullptr && *a.floating() == *b.floating();
    }
    if (a.is_.index() != b.is_.index()) return false;
    if (const auto* truth = a.boolean()) return *truth == *b.boolean();
    if (const auto* text = a.text()) return *text == *b.text();
    if (const auto* items = a.items()) return *items == *b.items();
    if (const auto* members = a.members()) {
        return std::ranges::equal(*members, *b.members(), [](const member& one, const member& two) {
            return one.name == two.name && one.is == two.is;
        });
    }
    return true;
}

}  // namespace waybill::scenario::json
