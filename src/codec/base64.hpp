/// Base64 by RFC 4648 section 4: padded, no line breaks, unused bits zero.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace waybill {

/// The characters `encode_base64` writes for so many bytes.
[[nodiscard]] constexpr std::size_t base64_size(std::size_t bytes) noexcept {
    return (bytes + 2) / 3 * 4;
}

/// Writes `base64_size(bytes.size())` characters to `out` and returns the end.
char* encode_base64(std::span<const std::byte> bytes, char* out) noexcept;

/// Puts the bytes in the place of what `out` held; false when `text` is no base64.
[[nodiscard]] bool decode_base64(std::string_view text, std::vector<std::byte>& out);

}  // namespace waybill
