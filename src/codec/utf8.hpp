/// UTF-8, as RFC 3629 has it: no surrogates, nothing overlong, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Whether `text` is well formed, whatever it holds.
[[nodiscard]] bool is_utf8_slow(std::string_view text) noexcept;

/// Whether `text` is nothing but ASCII.
[[nodiscard]] inline bool is_ascii(std::string_view text) noexcept {
    using sixteen = signed char __attribute__((vector_size(16)));
    const char* const from = text.data();
    const std::size_t size = text.size();
    std::uint64_t halves[2]{};
    if (size >= 16) {
        sixteen all;
        std::memcpy(&all, from + size - 16, 16);
        for (std::size_t at = 0; at + 16 < size; at += 16) {
            sixteen next;
            std::memcpy(&next, from + at, 16);
            all |= next;
        }
        std::memcpy(halves, &all, 16);
    } else if (size >= 8) {
        std::memcpy(&halves[0], from, 8);
        std::memcpy(&halves[1], from + size - 8, 8);
    } else {
        for (const char letter : text) halves[0] |= static_cast<unsigned char>(letter);
    }
    return ((halves[0] | halves[1]) & 0x8080808080808080U) == 0;
}

/// Whether `size` bytes at `at` are ASCII; 8 bytes behind them may be read.
[[nodiscard]] inline bool is_short_ascii(const char* at, std::size_t size) noexcept {
    std::uint64_t high = 0;
    for (std::size_t done = 0; done < size; done += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, at + done, 8);
        if (size - done < 8) eight <<= 64 - 8 * (size - done);
        high |= eight;
    }
    return (high & 0x8080808080808080U) == 0;
}

/// Whether `text` is well formed.
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
    return is_ascii(text) || is_utf8_slow(text);
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
