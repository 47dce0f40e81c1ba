/// The protocol's field tables and properties, read into packed headers and written out of them.
///
/// Guarantee: what was read is written again byte for byte, names that come twice, nested tables
/// and values of every type included; only the order of a table against the properties is the
/// protocol's own. A number that is not finite is read, and not written: no server takes one.
/// Nested tables are kept as they lie, whatever their depth, and checked without recursion.
/// Malformed input is refused, never read past.
#pragma once

#include "transport/rabbitmq/values.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>

#include <cstddef>
#include <expected>
#include <span>

namespace waybill::rabbitmq {

// ---- in. Each adds to what is in `packed`; false for malformed bytes, and then what was added is
// not to be used. @{
/// The entries of a table, without the length before them, become headers; a name that begins with
/// ':' stays an ordinary one.
[[nodiscard]] bool read_table(std::span<const std::byte> entries, byte_buffer& packed);
/// The values of an array, without the length before them, become headers without a name.
[[nodiscard]] bool read_array(std::span<const std::byte> values, byte_buffer& packed);
/// The flags and properties of a content header: first the properties, then the headers.
[[nodiscard]] bool read_properties(std::span<const std::byte> from_flags_on, byte_buffer& packed);
/// @}

/// Are these the entries of a table (or the values of an array), whole and of known types, to any
/// depth?
[[nodiscard]] bool is_well_formed(std::span<const std::byte> inside, bool array);
/// And is no number in them a NaN or infinite?
[[nodiscard]] bool is_finite(std::span<const std::byte> inside, bool array);

// ---- out. The error (errc::refused) names the header and says why the protocol cannot hold it, or
// no server takes it: for a number that is not finite each of them ends the connection; `to` then
// ends with a part of it, which the caller takes back. @{
/// The length, then the entries; properties are left out.
[[nodiscard]] std::expected<void, error> write_table(std::span<const std::byte> packed,
                                                     byte_buffer& to);
/// The flags and properties of a content header.
[[nodiscard]] WAYBILL_INNER std::expected<void, error> write_properties(
    std::span<const std::byte> packed, byte_buffer& to);
/// @}

}  // namespace waybill::rabbitmq
