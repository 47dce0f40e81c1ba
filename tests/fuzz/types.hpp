/// The types that the fuzz targets read and write: every kind of value, as a member, as an element
/// and as a whole message.
#pragma once

#include <waybill/value_type.hpp>

#include <span>

namespace fuzz {

/// The first byte of an input is an index into these.
[[nodiscard]] std::span<const waybill::value_type* const> types();

}  // namespace fuzz
