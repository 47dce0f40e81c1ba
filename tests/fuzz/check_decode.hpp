/// The promises of a decode.
#pragma once

#include <waybill/codec.hpp>

#include <cstddef>
#include <span>

namespace fuzz {

/// Throws `broken` unless reading `payload` as a `type` keeps them: one answer whatever the object
/// held before and whatever stands behind the payload, a good error or a value that is written and
/// read again, and little heap.
void check_decode(const waybill::codec_interface& codec, const waybill::value_type& type,
                  std::span<const std::byte> payload);

}  // namespace fuzz
