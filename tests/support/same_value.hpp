/// Whether two objects of a type of which only the table is known hold the same.
#pragma once

#include <waybill/value_type.hpp>

namespace support {

/// Numbers by their bits, except that all NaN are the same; scalars by what stands on the wire for
/// them. Members that are left out on the wire count too.
[[nodiscard]] bool same_value(const waybill::value_type& type, const void* one, const void* other);

}  // namespace support
