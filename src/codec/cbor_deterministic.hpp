/// CBOR as section 4.2.1 of RFC 8949 has it: one value is always the same bytes.
#pragma once

#include "cbor_format.hpp"

#include <cstddef>

namespace waybill {

/// Floats are as short as they go without losing anything.
struct deterministic_cbor_format : cbor_format {
    static constexpr bool sorts_keys = true;

    static std::byte* put_float(std::byte* at, float value) noexcept;
    static std::byte* put_double(std::byte* at, double value) noexcept;
};

}  // namespace waybill
