/// The inside of JSON strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Whether a backslash is among the `size` bytes at `at`, or among up to 15 behind them.
[[nodiscard]] inline bool may_have_escape(const char* at, std::size_t size) noexcept {
    using sixteen = signed char __attribute__((vector_size(16)));
    sixteen found{};
    for (std::size_t done = 0; done < size; done += 16) {
        sixteen next;
        std::memcpy(&next, at + done, 16);
        found |= next == '\\';
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &found, 16);
    return (halves[0] | halves[1]) != 0;
}

/// Writes what the escaped `text` stands for to `out`, which has room for `text.size()` bytes, and
/// returns the end, or null when an escape is wrong or half a surrogate pair is alone; `bad` then
/// says where.
[[nodiscard]] char* unescape(std::string_view text, char* out, std::size_t& bad) noexcept;

}  // namespace waybill
