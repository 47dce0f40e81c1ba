/// The inside of JSON strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Whether a backslash is among the `size` bytes at `at`, behind which 15 more may be read.
[[nodiscard]] inline bool has_escape(const char* at, std::size_t size) noexcept {
    using sixteen = signed char __attribute__((vector_size(16)));
    constexpr sixteen places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    sixteen found{};
    sixteen next;
    std::size_t done = 0;
    for (; done + 16 <= size; done += 16) {
        std::memcpy(&next, at + done, 16);
        found |= next == '\\';
    }
    std::memcpy(&next, at + done, 16);
    found |= (next == '\\') & (places < static_cast<signed char>(size - done));
    std::uint64_t halves[2];
    std::memcpy(halves, &found, 16);
    return (halves[0] | halves[1]) != 0;
}

/// Writes what the escaped `text` stands for to `out`, which has room for `text.size()` bytes, and
/// returns the end, or null when an escape is wrong or half a surrogate pair is alone; `bad` then
/// says where.
[[nodiscard]] char* unescape(std::string_view text, char* out, std::size_t& bad) noexcept;

}  // namespace waybill
