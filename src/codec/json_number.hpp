/// JSON numbers, exactly: every integer of 64 bits, and the double nearest to any other.
#pragma once

#include <cstdint>
#include <cstring>

namespace waybill {

/// The digits at a place: their value, where they end, and whether the value fits 64 bits.
struct digits {
    std::uint64_t value = 0;
    const char* end = nullptr;
    bool overflow = false;
};

/// The value of `count` (1 to 8) digits at `at`, of which 8 bytes may be read; false when they are
/// not all digits.
[[nodiscard]] inline bool read_few_digits(const char* at, std::uint32_t count,
                                          std::uint64_t& value) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, 8);
    // Shifted up, the leading digits that are missing become zeros.
    const std::uint64_t v = (eight - ones * '0') << ((8 - count) * 8);
    if (((v | (v + ones * 0x76)) & ones * 0x80) != 0) return false;
    // Pairs, then both halves of the pairs at once.
    const std::uint64_t pairs = v * 10 + (v >> 8);
    constexpr std::uint64_t every_fourth = 0x000000ff000000ffU;
    value = ((pairs & every_fourth) * (100 + (std::uint64_t{1000000} << 32)) +
             ((pairs >> 16) & every_fourth) * (1 + (std::uint64_t{10000} << 32))) >>
            32;
    return true;
}

/// Reads digits to the first other character. None: `end` is `at`.
[[nodiscard]] digits read_digits(const char* at) noexcept;

/// Where the number at `at` ends by JSON's grammar, or null when none stands there.
[[nodiscard]] const char* end_of_number(const char* at) noexcept;

}  // namespace waybill
