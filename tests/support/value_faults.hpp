/// Why a value cannot be written, found by a walk that knows no codec.
#pragma once

#include <waybill/value_type.hpp>

#include <cstddef>

namespace support {

/// What a value holds that not every codec has a form for.
struct value_faults {
    bool ill_formed_text = false;
    bool not_finite = false;      ///< infinity or NaN
    bool unnamed = false;         ///< an enum's value without an enumerator
    bool refused_scalar = false;  ///< a scalar that says no, a time out of range
    bool too_deep = false;        ///< nested deeper than 64 levels
    bool opaque = false;          ///< of a type that only a codec of the user's own knows

    [[nodiscard]] bool any() const noexcept {
        return ill_formed_text || not_finite || unnamed || refused_scalar || too_deep || opaque;
    }
};

[[nodiscard]] value_faults faults_of(const waybill::value_type& type, const void* object);

}  // namespace support
