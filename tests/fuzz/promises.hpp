/// What holds for every answer of a codec.
#pragma once

#include <waybill/error.hpp>

#include <cstddef>
#include <string>

namespace fuzz {

/// Throws `broken` with `promise` unless it is kept.
void require(bool kept, const std::string& promise);

/// The error of a decode or an encode: its code, its size, its text, and the place that it names,
/// which lies in the payload of `size` bytes or at its end.
void check_error(const waybill::error& failure, waybill::errc code, std::size_t size);

}  // namespace fuzz
