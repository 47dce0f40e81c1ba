/// Passes over a CBOR value that nobody reads.
#pragma once

#include "cbor_source.hpp"

namespace waybill {

/// The value's first item was taken; `depth` counts the containers round it. Strings are held to
/// UTF-8, keys may be of any kind.
[[nodiscard]] bool skip_cbor(cbor_source& from, int depth);

}  // namespace waybill
