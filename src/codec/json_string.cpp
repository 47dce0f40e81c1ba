#include "json_string.hpp"

#include "utf8.hpp"

namespace waybill {
namespace {

constexpr std::uint32_t no_code = 0xffffffff;

std::uint32_t hex_digit(char letter) noexcept {
    if (letter >= '0' && letter <= '9') return static_cast<std::uint32_t>(letter - '0');
    const char lower = static_cast<char>(letter | 0x20);
    if (lower >= 'a' && lower <= 'f') return static_cast<std::uint32_t>(lower - 'a' + 10);
    return no_code;
}

/// Four hexadecimal digits at the front.
std::uint32_t read_unit(std::string_view text) noexcept {
    if (text.size() < 4) return no_code;
    std::uint32_t unit = 0;
    for (const char letter : text.substr(0, 4)) {
        const std::uint32_t digit = hex_digit(letter);
        if (digit == no_code) return no_code;
        unit = unit << 4 | digit;
    }
    return unit;
}

/// The code point of `\uXXXX` or of a pair of them, with their length.
std::uint32_t read_code(std::string_view text, std::size_t& size) noexcept {
    const std::uint32_t first = read_unit(text.substr(2));
    size = 6;
    if (first == no_code || first < 0xd800 || first > 0xdfff) return first;
    if (first > 0xdbff || text.substr(6, 2) != "\\u") return no_code;
    const std::uint32_t second = read_unit(text.substr(8));
    if (second < 0xdc00 || second > 0xdfff) return no_code;
    size = 12;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

/// What a one-letter escape stands for, or 0.
char plain_escape(char letter) noexcept {
    switch (letter) {
        case '"':
        case '\\':
        case '/':
            return letter;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return 0;
    }
}

}  // namespace

char* unescape(std::string_view text, char* out, std::size_t& bad) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '\\') {
            *out++ = text[at++];
            continue;
        }
        bad = at;
        if (at + 1 == text.size()) return nullptr;
        if (const char letter = plain_escape(text[at + 1]); letter != 0) {
            *out++ = letter;
            at += 2;
            continue;
        }
        if (text[at + 1] != 'u') return nullptr;
        std::size_t size = 0;
        const std::uint32_t code = read_code(text.substr(at), size);
        if (code == no_code) return nullptr;
        out = put_utf8(code, out);
        at += size;
    }
    return out;
}

}  // namespace waybill
