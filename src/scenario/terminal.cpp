#include "scenario/terminal.hpp"

#include "message/utf8_character.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace waybill::scenario {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view ellipsis = "\xE2\x80\xA6";     // U+2026

struct range {
    char32_t first;
    char32_t last;
};

bool is_in(std::span<const range> all, char32_t letter) noexcept {
    return std::ranges::any_of(
        all, [&](const auto& each) { return letter >= each.first && letter <= each.last; });
}

/// What a terminal may take as a command, or that hides or turns what stands beside it.
constexpr std::array<range, 10> not_plain{{
    {0x00, 0x1F},
    {0x7F, 0x9F},      // DEL, and the control characters of one byte in other encodings
    {0xAD, 0xAD},      // soft hyphen
    {0x61C, 0x61C},    // marks of direction
    {0x200B, 0x200F},  // of no width, and of direction
    {0x2028, 0x202E},  // ends of lines, and turned directions
    {0x2060, 0x206F},
    {0xFEFF, 0xFEFF},
    {0xFFF9, 0xFFFB},
    {0xE0000, 0xE007F},  // tags
}};
/// Stand upon the character before them.
constexpr std::array<range, 6> combining{{
    {0x300, 0x36F},
    {0x483, 0x489},
    {0x1AB0, 0x1AFF},
    {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
}};
constexpr std::array<range, 13> wide{{
    {0x1100, 0x115F},
    {0x2E80, 0x303E},
    {0x3041, 0x33FF},
    {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x1F300, 0x1FAFF},
    {0x20000, 0x3FFFD},
}};

/// The first character of a text that is not empty; of size 0 when it is none.
struct character {
    char32_t letter = 0;
    std::size_t size = 0;

    explicit character(std::string_view text) noexcept : size{character_at_front(text)} {
        if (size == 0) return;
        const auto first = static_cast<unsigned char>(text.front());
        letter = size == 1 ? first : first & (0x7FU >> size);
        for (const char each : text.substr(1, size - 1)) {
            letter = (letter << 6U) | (static_cast<unsigned char>(each) & 0x3FU);
        }
    }
    [[nodiscard]] std::size_t columns() const noexcept {
        if (is_in(combining, letter)) return 0;
        return is_in(wide, letter) ? 2 : 1;
    }
};

void escape(char32_t letter, std::string& to) {
    if (letter == '\n') return void(to += "\\n");
    if (letter == '\r') return void(to += "\\r");
    if (letter == '\t') return void(to += "\\t");
    std::array<char, 16> room{};
    std::snprintf(room.data(), room.size(), "\\u%04x", static_cast<unsigned>(letter));
    to += room.data();
}

}  // namespace

std::string harmless(std::string_view text) {
    std::string made;
    while (!text.empty()) {
        const character next{text};
        if (next.size == 0) {
            made += replacement;
        } else if (is_in(not_plain, next.letter)) {
            escape(next.letter, made);
        } else {
            made += text.substr(0, next.size);
        }
        text.remove_prefix(std::max<std::size_t>(1, next.size));
    }
    return made;
}

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const character next{text};
        columns += next.columns();
        text.remove_prefix(std::max<std::size_t>(1, next.size));
    }
    return columns;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string{text};
    std::size_t size = 0;
    for (std::size_t taken = 0; size < text.size();) {
        const character next{text.substr(size)};
        taken += next.columns();
        if (taken > columns - 1) break;
        size += std::max<std::size_t>(1, next.size);
    }
    return std::string{text.substr(0, size)} + std::string{ellipsis};
}

std::string to_left(std::string_view text, std::size_t columns) {
    const auto has = columns_of(text);
    return std::string{text} + std::string(columns > has ? columns - has : 0, ' ');
}

std::string to_right(std::string_view text, std::size_t columns) {
    const auto has = columns_of(text);
    return std::string(columns > has ? columns - has : 0, ' ') + std::string{text};
}

std::vector<std::string> in_lines(std::string_view text, std::size_t columns) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        auto& line = lines.back();
        if (line.empty()) {
            line = word;
        } else if (columns_of(line) + 1 + columns_of(word) <= columns) {
            line += ' ';
            line += word;
        } else {
            lines.emplace_back(word);
        }
        text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    return lines;
}

std::string paint::operator()(std::string_view in, std::string_view text) const {
    if (!is_on_ || in.empty() || text.empty()) return std::string{text};
    return std::string{in} + std::string{text} + "\033[0m";
}

bool wants_colour(bool is_terminal, const char* no_color, const char* kind) noexcept {
    const std::string_view forbidden = no_color != nullptr ? no_color : "";
    const std::string_view terminal = kind != nullptr ? kind : "";
    return is_terminal && forbidden.empty() && !terminal.empty() && terminal != "dumb";
}

bool wants_colour(std::FILE* to) noexcept {
    return wants_colour(isatty(fileno(to)) == 1, std::getenv("NO_COLOR"), std::getenv("TERM"));
}

}  // namespace waybill::scenario
