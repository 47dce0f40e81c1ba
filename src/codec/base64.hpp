/// Base64 by RFC 4648 section 4: padded, no line breaks, unused bits zero.
#pragma once

#include <waybill/export.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace waybill {

/// The characters `encode_base64` writes for so many bytes.
[[nodiscard]] constexpr std::size_t base64_size(std::size_t bytes) noexcept {
    return (bytes + 2) / 3 * 4;
}

/// Writes `base64_size(bytes.size())` characters to `out` and returns the end.
WAYBILL_INNER char* encode_base64(std::span<const std::byte> bytes, char* out) noexcept;

/// The bytes that `text` stands for, if it is base64.
[[nodiscard]] constexpr std::size_t base64_bytes(std::string_view text) noexcept {
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    return text.size() / 4 * 3 - (text.size() < 4 ? 0 : padding);
}

/// Writes `base64_bytes(text)` bytes to `out`; false when `text` is no base64.
[[nodiscard]] WAYBILL_INNER bool decode_base64(std::string_view text, std::byte* out) noexcept;

}  // namespace waybill
