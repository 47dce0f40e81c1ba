/// Writes one object as JSON by the table of its type.
#pragma once

#include <waybill/byte_buffer.hpp>
#include <waybill/error.hpp>
#include <waybill/fields.hpp>

#include <expected>

namespace waybill {

/// As `codec_interface::encode`. An optional without a value is left out of its object if it reads
/// back so, and is null elsewhere.
[[nodiscard]] std::expected<void, error> write_json(const value_type& type, const void* object,
                                                    byte_buffer& out);

}  // namespace waybill
