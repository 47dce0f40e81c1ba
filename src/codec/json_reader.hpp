/// Reads one JSON text into one object by the table of its type.
#pragma once

#include <waybill/arena.hpp>
#include <waybill/error.hpp>
#include <waybill/fields.hpp>

#include <cstddef>
#include <expected>
#include <span>

namespace waybill {

/// As `codec_interface::decode`.
[[nodiscard]] std::expected<void, error> read_json(const value_type& type, void* object,
                                                   std::span<const std::byte> payload, arena& kept);

}  // namespace waybill
