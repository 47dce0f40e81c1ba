/// UTF-8, as RFC 3629 has it: no surrogates, nothing overlong, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Whether `text` is well formed, whatever it holds.
[[nodiscard]] bool is_utf8_slow(std::string_view text) noexcept;

/// Whether `text` is well formed; ASCII is told here.
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
    std::size_t at = 0;
    std::uint64_t high = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + at, 8);
        high |= eight;
    }
    for (; at < text.size(); ++at) high |= static_cast<unsigned char>(text[at]);
    return (high & 0x8080808080808080U) == 0 || is_utf8_slow(text);
}

/// The index of the first byte that is not part of a well-formed character, or the size.
[[nodiscard]] std::size_t find_bad_utf8(std::string_view text) noexcept;

/// Appends `code`, which is below 0x110000 and no surrogate, to `out` and returns the end.
[[nodiscard]] inline char* put_utf8(std::uint32_t code, char* out) noexcept {
    const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        *out++ = static_cast<char>(code);
    } else if (code < 0x800) {
        *out++ = static_cast<char>(0xc0 | code >> 6);
        *out++ = tail(0);
    } else if (code < 0x10000) {
        *out++ = static_cast<char>(0xe0 | code >> 12);
        *out++ = tail(6);
        *out++ = tail(0);
    } else {
        *out++ = static_cast<char>(0xf0 | code >> 18);
        *out++ = tail(12);
        *out++ = tail(6);
        *out++ = tail(0);
    }
    return out;
}

}  // namespace waybill
