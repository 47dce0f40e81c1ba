/// The identity that the runner gives a message: a header behind all others, which the product
/// never sees.
///
/// Guarantee: what `without` leaves is byte for byte what was tagged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace waybill::scenario::tag {

/// "waybill-sim-id".
[[nodiscard]] std::vector<std::byte> onto(std::span<const std::byte> packed_headers,
                                          std::uint64_t id);
[[nodiscard]] std::optional<std::uint64_t> of(std::span<const std::byte> packed_headers) noexcept;
[[nodiscard]] std::span<const std::byte> without(
    std::span<const std::byte> packed_headers) noexcept;

}  // namespace waybill::scenario::tag
