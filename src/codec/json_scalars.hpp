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
    using value = simdjson::ondemand::value;

    json_scalars(std::string_view text, arena& kept) noexcept : failure_(text), kept_(kept) {}

    [[gnu::cold, gnu::noinline]] bool fail_at(value& from, std::string_view expected) {
        return failure_.at(place_of(from), expected);
    }

    [[gnu::always_inline]] bool read_unsigned(const value_type& type, void* object, value& from) {
        std::uint64_t number = 0;
        if (from.get_uint64().get(number) || number > type.largest) [[unlikely]]
            return failure_.integer(place_of(from), type);
        store_integer(object, type.size, number);
        return true;
    }

    bool read_signed(const value_type& type, void* object, value& from) {
        std::int64_t number = 0;
        const auto largest = static_cast<std::int64_t>(type.largest);
        if (from.get_int64().get(number) || number > largest || number < -largest - 1) [[unlikely]]
            return failure_.integer(place_of(from), type);
        store_integer(object, type.size, static_cast<std::uint64_t>(number));
        return true;
    }

    template <class Number>
    bool read_float(void* object, value& from);

    bool read_boolean(void* object, value& from) {
        bool yes = false;
        if (from.get_bool().get(yes)) return fail_at(from, "expected a boolean");
        std::memcpy(object, &yes, sizeof yes);
        return true;
    }

    /// The content lies in the parser until its next text.
    bool read_text(std::string_view& text, value& from, std::string_view expected) {
        if (!from.get_string().get(text)) [[likely]]
            return true;
        return fail_at(from, *place_of(from) == '"' ? "expected valid escapes" : expected);
    }

    bool read_string(void* object, value& from) {
        std::string_view text;
        if (!read_text(text, from, "expected a string")) [[unlikely]]
            return false;
        static_cast<std::string*>(object)->assign(text);
        return true;
    }

    bool read_enumeration(const value_type& type, void* object, value& from);

    /// Text that views the payload, or the arena when it has escapes.
    bool read_borrowed(std::string_view& text, value& from);

    /// Bytes of `value_kind::bytes`, `fixed_bytes` or `borrowed_bytes`, from base64.
    bool read_bytes(const value_type& type, void* object, value& from);

    json_failure failure_;
    arena& kept_;
};

}  // namespace waybill
