/// JSON numbers, exactly: every integer of 64 bits, and the double nearest to any other.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace waybill {

/// The digits at a place: their value, where they end, and whether the value fits 64 bits.
struct digits {
    std::uint64_t value = 0;
    const char* end = nullptr;
    bool overflow = false;
};

/// How many of the eight characters at the front (the low end) are digits.
[[nodiscard]] inline int leading_digits(std::uint64_t eight) noexcept {
    // A digit is 0x30 to 0x39: its high half is 3, and stays so when 6 is added.
    const std::uint64_t wrong =
        ((eight & 0xf0f0f0f0f0f0f0f0U) ^ 0x3030303030303030U) |
        (((eight + 0x0606060606060606U) & 0xf0f0f0f0f0f0f0f0U) ^ 0x3030303030303030U);
    return std::countr_zero(wrong) / 8;
}

/// The value of the first `count` (1 to 8) of eight characters, all of them digits.
[[nodiscard]] inline std::uint64_t digits_value(std::uint64_t eight, int count) noexcept {
    // Shifted up, the missing leading digits become zero bytes, which count as 0 once masked.
    std::uint64_t v = (eight << (64 - 8 * count)) & 0x0f0f0f0f0f0f0f0fU;
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffU;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffU;
    return (v * 10000 + (v >> 32)) & 0xffffffffU;
}

/// More than seven digits: `at` is where they begin.
[[nodiscard]] digits read_many_digits(const char* at) noexcept;

/// Reads digits at `at`, of which 16 bytes may be read. None: `end` is `at`.
[[nodiscard]] inline digits read_digits(const char* at) noexcept {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, 8);
    const int count = leading_digits(eight);
    if (count == 8) return read_many_digits(at);
    if (count == 0) return {0, at, false};
    return {digits_value(eight, count), at + count, false};
}

/// Where the number at `at` ends by JSON's grammar, or null when none stands there.
[[nodiscard]] const char* end_of_number(const char* at) noexcept;

}  // namespace waybill
