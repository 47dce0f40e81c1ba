#include "json_grammar.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {
namespace {

bool is_one_of(std::string_view letters, char letter) noexcept {
    return letters.find(letter) != std::string_view::npos;
}

/// Whether a number or literal may end before `letter`.
bool is_end(char letter) noexcept { return is_one_of(" \t\r\n,]}", letter); }

// These pass over what they find at the front of `at`, and return false when it is not there.

bool pass_digits(const char*& at) noexcept {
    const char* const first = at;
    while (*at >= '0' && *at <= '9') ++at;
    return at != first;
}

/// `\uXXXX`
bool pass_unit(const char*& at, std::uint16_t& unit) noexcept {
    if (at[0] != '\\' || at[1] != 'u') return false;
    const char* const end = at + 6;
    if (std::from_chars(at + 2, end, unit, 16).ptr != end) return false;
    at = end;
    return true;
}

bool pass_escape(const char*& at) noexcept {
    if (is_one_of(R"("\/bfnrt)", at[1])) {
        at += 2;
        return true;
    }
    std::uint16_t unit = 0;
    if (!pass_unit(at, unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    return unit < 0xdc00 && pass_unit(at, unit) && unit >= 0xdc00 && unit <= 0xdfff;
}

}  // namespace

bool is_json_literal(const char* at) noexcept {
    for (const std::string_view literal : {"true", "false", "null"})
        if (std::string_view{at, literal.size()} == literal) return is_end(at[literal.size()]);
    return false;
}

bool is_json_number(const char* at) noexcept {
    if (*at == '-') ++at;
    if (*at == '0')
        ++at;
    else if (!pass_digits(at))
        return false;
    if (*at == '.') {
        ++at;
        if (!pass_digits(at)) return false;
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        if (*at == '+' || *at == '-') ++at;
        if (!pass_digits(at)) return false;
    }
    return is_end(*at);
}

bool is_json_string(const char* at) noexcept {
    for (at = find_quote_or_escape(at + 1); *at == '\\'; at = find_quote_or_escape(at))
        if (!pass_escape(at)) return false;
    return true;
}

const char* find_quote_or_escape(const char* at) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    for (;; at += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, at, 8);
        const std::uint64_t quote = eight ^ ones * '"';
        const std::uint64_t slash = eight ^ ones * '\\';
        // Carries reach only bytes behind the first one that is found.
        const std::uint64_t found =
            (((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & ones * 0x80;
        if (found != 0) return at + std::countr_zero(found) / 8;
    }
}

}  // namespace waybill
