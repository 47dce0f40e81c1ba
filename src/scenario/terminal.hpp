/// Text that is shown to people: nothing in it can command the terminal, and it lines up.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// The text with everything escaped that is no plain character: control characters of both sets,
/// and what turns the direction of writing or ends a line. What is not UTF-8 becomes U+FFFD. It has
/// one line and moves no cursor, whoever wrote it.
[[nodiscard]] std::string harmless(std::string_view text);

/// How many columns of a terminal a harmless text takes: wide characters have two, combining ones
/// none.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;
/// The text, or its beginning and "…", so that it takes `columns` at most, of which there is one.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);
/// Spaces behind it, or in front, up to so many columns. @{
[[nodiscard]] std::string to_left(std::string_view text, std::size_t columns);
[[nodiscard]] std::string to_right(std::string_view text, std::size_t columns);
/// @}
/// Its words in lines of `columns` at most; a longer word has a line of its own. Never empty.
[[nodiscard]] std::vector<std::string> in_lines(std::string_view text, std::size_t columns);

namespace colour {
inline constexpr std::string_view bold = "\033[1m";
inline constexpr std::string_view dim = "\033[2m";
inline constexpr std::string_view red = "\033[31m";
inline constexpr std::string_view green = "\033[32m";
inline constexpr std::string_view yellow = "\033[33m";
inline constexpr std::string_view magenta = "\033[35m";
inline constexpr std::string_view none;
}  // namespace colour

/// Puts a colour round a text, or not.
class paint {
public:
    explicit paint(bool is_on) noexcept : is_on_{is_on} {}
    [[nodiscard]] std::string operator()(std::string_view in, std::string_view text) const;

private:
    bool is_on_;
};

/// As no-color.org says: on a terminal that can, unless NO_COLOR is set to something. `no_color`
/// and `kind` (TERM) are null where the environment has none.
[[nodiscard]] bool wants_colour(bool is_terminal, const char* no_color, const char* kind) noexcept;
[[nodiscard]] bool wants_colour(std::FILE* to) noexcept;

}  // namespace waybill::scenario
