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

/// Which run gave the identity: a server may still have messages of an earlier one.
using run_number = std::uint32_t;
/// Of a run in memory.
inline constexpr run_number the_only_run = 0;

/// "waybill-sim-id": the run above, the message below, which is less than 2^32.
[[nodiscard]] std::vector<std::byte> onto(std::span<const std::byte> packed_headers, run_number run,
                                          std::uint64_t id);
/// Nothing where it has none of this run.
[[nodiscard]] std::optional<std::uint64_t> of(std::span<const std::byte> packed_headers,
                                              run_number run) noexcept;
[[nodiscard]] bool is_of_another(std::span<const std::byte> packed_headers,
                                 run_number run) noexcept;
/// A part of them where it stands last; else they are put together in `room`.
[[nodiscard]] std::span<const std::byte> without(std::span<const std::byte> packed_headers,
                                                 std::vector<std::byte>& room);

}  // namespace waybill::scenario::tag
