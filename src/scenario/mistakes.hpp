/// The book of what is wrong with a file: how places are named, and the order of the mistakes.
#pragma once

#include "scenario/json.hpp"
#include "scenario/read.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// A file may be one mistake from its beginning to its end: what is above this is not written down.
inline constexpr std::size_t most_mistakes = 1000;

void report(std::vector<mistake>& to, std::string_view path, std::string what);

/// `$.steps` and `handler_for["a b"]`: what is no plain word stands in brackets, and a long name is
/// cut. @{
[[nodiscard]] std::string path_of_member(std::string_view path, std::string_view name);
[[nodiscard]] std::string path_of_element(std::string_view path, std::size_t index);
/// @}

/// The text in quotes, as JSON has it; a long one is cut.
[[nodiscard]] std::string quoted(std::string_view text);
/// A number as it stands, text in quotes, else what kind of value it is.
[[nodiscard]] std::string shown(const json::value& what);

/// In the order in which their places stand in the file.
[[nodiscard]] std::vector<mistake> in_order_of(const json::value& file,
                                               std::vector<mistake> mistakes);

/// `: did you mean "max_attempts"?` where one of the names is near enough; else those that are
/// allowed where they are few, as in `; allowed: "a", "b"`; else nothing.
[[nodiscard]] std::string hint_for(std::string_view name,
                                   std::span<const std::string_view> allowed);

}  // namespace waybill::scenario
