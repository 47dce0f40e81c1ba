/// The identity that the runner gives a message: a header behind all others, which the product
/// never sees. A server may hand it back in another place, as a number of another type.
///
/// Guarantee: what `without` leaves is byte for byte what was tagged, or what the server made of
/// it.
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
/// A part of them where it stands last; else they are put together in `room`.
[[nodiscard]] std::span<const std::byte> without(std::span<const std::byte> packed_headers,
                                                 std::vector<std::byte>& room);

}  // namespace waybill::scenario::tag
