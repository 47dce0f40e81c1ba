/// How a row looks: pieces of text with a meaning, made to fit a width.
#pragma once

#include "demo/board.hpp"
#include "demo/ledger.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

enum class look { plain, strong, faint, charged, declined, dead, undecodable, waiting };

struct piece {
    std::string text;
    look as = look::plain;
};

using picture = std::vector<piece>;

/// The marks that are drawn, each one column wide.
struct glyphs {
    std::string_view charged;
    std::string_view declined;
    std::string_view dead;
    std::string_view undecodable;
    std::array<std::string_view, 8> spinner;
    std::string_view full;
    std::string_view empty;
    std::string_view line;
    std::string_view block;
    std::string_view times;
    std::string_view more;
};

inline constexpr glyphs fine_glyphs{
    "✔", "⊘", "✖", "?", {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"}, "▰", "▱", "━", "█", "×", "…"};
/// For a console whose font has no more.
inline constexpr glyphs plain_glyphs{
    "+", "-", "x", "?", {"|", "/", "-", "\\", "|", "/", "-", "\\"}, "#", ".", "=", "#", "x", "~"};

/// What a row is drawn for.
struct frame {
    std::size_t columns = 0;  ///< 0: as wide as it likes
    std::size_t label = 5;    ///< width of the widest order number with its #
    const glyphs* marks = &plain_glyphs;
    bool live = false;                ///< a terminal: symbols, and what waits moves
    std::chrono::nanoseconds now{0};  ///< on the app's clock
    std::size_t tick = 0;             ///< counts frames
};

/// Columns that a text takes; every character that the demo draws takes one.
std::size_t width_of(const picture& what) noexcept;

/// Cut to so many columns, with a mark when something is missing.
picture cut(picture what, std::size_t columns, std::string_view mark = fine_glyphs.more);

/// "#1017 busy 1 s busy 1 s charged   3 deliveries 2.0 s"
picture draw_row(const row& of, const frame& in);

/// The line below the rows while messages are under way.
picture draw_progress(const ledger& so_far, std::size_t total, const frame& in);

/// A bar of the ends, as wide as the frame.
picture draw_bar(const ledger& of, const frame& in);

/// The ledger's text, each end in its colour.
picture draw_ledger(const ledger& of);

/// "1 s", "250 ms", "1.5 s".
std::string in_words(std::chrono::nanoseconds span);

/// "#18446744073709551615", or "#?" for a message without a number.
std::string label_of(const row& of);

}  // namespace demo
