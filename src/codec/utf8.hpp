/// UTF-8, as RFC 3629 has it: no surrogates, nothing overlong, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Whether `text` is well formed, whatever it holds.
[[nodiscard]] bool is_utf8_slow(std::string_view text) noexcept;

/// Whether `text` is nothing but ASCII. Ends that overlap are looked at twice.
[[nodiscard]] inline bool is_ascii(std::string_view text) noexcept {
    const auto word = [&](auto zero, std::size_t at) -> std::uint64_t {
        std::memcpy(&zero, text.data() + at, sizeof zero);
        return zero;
    };
    const std::size_t size = text.size();
    std::uint64_t all = 0;
    if (size >= 16) {
        all = word(std::uint64_t{}, size - 16) | word(std::uint64_t{}, size - 8);
        for (std::size_t at = 0; at + 16 < size; at += 16)
            all |= word(std::uint64_t{}, at) | word(std::uint64_t{}, at + 8);
    } else if (size >= 8) {
        all = word(std::uint64_t{}, 0) | word(std::uint64_t{}, size - 8);
    } else if (size >= 4) {
        all = word(std::uint32_t{}, 0) | word(std::uint32_t{}, size - 4);
    } else if (size != 0) {
        all = word(std::uint8_t{}, 0) | word(std::uint8_t{}, size / 2) |
              word(std::uint8_t{}, size - 1);
    }
    return (all & 0x8080808080808080U) == 0;
}

/// Whether `text` is well formed.
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
    return is_ascii(text) || is_utf8_slow(text);
}

/// The index of the first byte that is not part of a well-formed character, or the size.
[[nodiscard]] std::size_t find_bad_utf8(std::string_view text) noexcept;

}  // namespace waybill
