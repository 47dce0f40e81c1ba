/// Reads numbers, booleans and strings of JSON, each from the On-Demand value that stands there.
#pragma once

#include "integers.hpp"
#include "json_failure.hpp"
#include <waybill/arena.hpp>
#include <waybill/fields.hpp>

#include <simdjson.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace waybill {

/// What the reader of a text stands on. Functions return false after a failure, which `failure_`
/// then holds.
class json_scalars {
protected:
    json_scalars(std::string_view text, arena& kept) noexcept : failure_(text), kept_(kept) {}

    [[gnu::cold, gnu::noinline]] bool fail_at(ondemand::value& from, std::string_view expected) {
        return failure_.at(place_of(from), expected);
    }

    [[gnu::always_inline]] bool read_unsigned(const value_type& type, void* object,
                                              ondemand::value& from) {
        std::uint64_t number = 0;
        if (from.get_uint64().get(number) || number > type.largest) [[unlikely]]
            return failure_.integer(place_of(from), type);
        store_integer(object, type.size, number);
        return true;
    }

    bool read_signed(const value_type& type, void* object, ondemand::value& from);

    template <class Number>
    bool read_float(void* object, ondemand::value& from);

    bool read_boolean(void* object, ondemand::value& from);

    bool read_string(void* object, ondemand::value& from);

    bool read_enumeration(const value_type& type, void* object, ondemand::value& from);

    /// Text that views the payload, or the arena when it has escapes.
    bool read_borrowed(std::string_view& text, ondemand::value& from);

    /// Bytes of `value_kind::bytes`, `fixed_bytes` or `borrowed_bytes`, from base64.
    bool read_bytes(const value_type& type, void* object, ondemand::value& from);

    json_failure failure_;
    arena& kept_;

private:
    [[gnu::cold, gnu::noinline]] bool fail_text(ondemand::value& from, std::string_view expected);

    /// The content lies in the parser until its next text.
    bool read_text(std::string_view& text, ondemand::value& from,
                   std::string_view expected = "expected a string");
};

}  // namespace waybill
