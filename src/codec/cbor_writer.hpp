/// Writes one object as CBOR by the table of its type.
#pragma once

#include <waybill/byte_buffer.hpp>
#include <waybill/error.hpp>
#include <waybill/fields.hpp>

#include <expected>

namespace waybill {

/// As `codec_interface::encode`. Lengths are definite, integers as short as they go, floats as wide
/// as their C++ type; an optional without a value is left out of its map and is null elsewhere.
[[nodiscard]] std::expected<void, error> write_cbor(const value_type& type, const void* object,
                                                    byte_buffer& out);

}  // namespace waybill
