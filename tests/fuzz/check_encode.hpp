/// The promises of an encode.
#pragma once

#include <waybill/codec.hpp>

#include <cstddef>
#include <span>

namespace fuzz {

/// Throws `broken` unless writing the object of `type` that `spelled` decides on keeps them: what
/// has a form is written and read as the same value, what has none is refused and leaves no trace.
void check_encode(const waybill::codec_interface& codec, const waybill::value_type& type,
                  std::span<const std::byte> spelled);

}  // namespace fuzz
