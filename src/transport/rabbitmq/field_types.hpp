/// One field after the other out of a table or an array, whatever its type: the letter, and the
/// bytes behind it.
///
/// Guarantee: a type that there is not, or a field that is cut off, makes the reader fail.
#pragma once

#include "transport/rabbitmq/octets.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace waybill::rabbitmq {

/// How many bytes a value of a type takes, where it is always as many. @{
inline constexpr int says_its_size = -1;  ///< in four bytes of its own, before the others
inline constexpr int no_such_type = -2;
[[nodiscard]] constexpr int size_of_type(char type) noexcept {
    switch (type) {
        case 'V':
            return 0;
        case 't':
        case 'b':
        case 'B':
            return 1;
        case 's':
        case 'u':
            return 2;
        case 'I':
        case 'i':
        case 'f':
            return 4;
        case 'D':
            return 5;
        case 'l':
        case 'L':
        case 'd':
        case 'T':
            return 8;
        case 'S':
        case 'x':
        case 'F':
        case 'A':
            return says_its_size;
        default:
            return no_such_type;
    }
}
/// @}

struct raw_field {
    std::string_view name;  ///< empty in an array
    char type = 'V';
    std::span<const std::byte> value;  ///< without the size that it says itself
};

/// Good when the reader is still `ok`. What it holds views the reader's bytes.
[[nodiscard]] inline raw_field next_field(octet_reader& from, bool is_named) noexcept {
    raw_field next;
    if (is_named) next.name = from.short_string();
    next.type = static_cast<char>(from.number<std::uint8_t>());
    const int size = size_of_type(next.type);
    if (size == no_such_type) {
        from.give_up();
    } else {
        next.value =
            size == says_its_size ? from.long_bytes() : from.bytes(static_cast<std::size_t>(size));
    }
    return next;
}

}  // namespace waybill::rabbitmq
