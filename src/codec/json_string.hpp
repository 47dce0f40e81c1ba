/// The inside of JSON strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Whether a backslash is among the `size` bytes at `at`; up to 7 more are read.
[[nodiscard]] inline bool has_escape(const char* at, std::size_t size) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    for (std::size_t done = 0; done < size; done += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, at + done, 8);
        eight ^= ones * '\\';
        std::uint64_t zeros = (eight - ones) & ~eight & ones * 0x80;
        if (size - done < 8) zeros &= (std::uint64_t{1} << 8 * (size - done)) - 1;
        if (zeros != 0) return true;
    }
    return false;
}

/// Writes what the escaped `text` stands for to `out`, which has room for `text.size()` bytes, and
/// returns the end, or null when an escape is wrong or half a surrogate pair is alone; `bad` then
/// says where.
[[nodiscard]] char* unescape(std::string_view text, char* out, std::size_t& bad) noexcept;

}  // namespace waybill
