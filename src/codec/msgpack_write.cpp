#include "big_endian.hpp"
#include "msgpack_format.hpp"

#include <bit>

namespace waybill {
namespace {

std::byte* put_first(std::byte* at, std::uint64_t first) noexcept {
    *at = static_cast<std::byte>(first);
    return at + 1;
}

/// A first byte and a number behind it.
template <class Number>
std::byte* put_number(std::byte* at, std::uint64_t first, std::uint64_t number) noexcept {
    return store_big(put_first(at, first), static_cast<Number>(number));
}

/// The length of a string: `first` for 8 bits, + 1 for 16, + 2 for 32.
std::byte* put_length(std::byte* at, std::uint64_t first, std::uint64_t size) noexcept {
    if (size <= 0xff) return put_number<std::uint8_t>(at, first, size);
    if (size <= 0xffff) return put_number<std::uint16_t>(at, first + 1, size);
    return put_number<std::uint32_t>(at, first + 2, size);
}

/// The count of an array or a map: up to 15 in the byte `few`, `first` for 16 bits, + 1 for 32.
std::byte* put_count(std::byte* at, std::uint64_t few, std::uint64_t first,
                     std::uint64_t count) noexcept {
    if (count < 16) return put_first(at, few | count);
    if (count <= 0xffff) return put_number<std::uint16_t>(at, first, count);
    return put_number<std::uint32_t>(at, first + 1, count);
}

}  // namespace

std::byte* msgpack_format::put_unsigned(std::byte* at, std::uint64_t number) noexcept {
    if (number < 0x80) return put_first(at, number);
    if (number <= 0xff) return put_number<std::uint8_t>(at, 0xcc, number);
    if (number <= 0xffff) return put_number<std::uint16_t>(at, 0xcd, number);
    if (number <= 0xffffffff) return put_number<std::uint32_t>(at, 0xce, number);
    return put_number<std::uint64_t>(at, 0xcf, number);
}

std::byte* msgpack_format::put_negative(std::byte* at, std::uint64_t number) noexcept {
    const std::uint64_t value = ~number;  // in two's complement
    if (number < 0x20) return put_first(at, value);
    if (number < 0x80) return put_number<std::uint8_t>(at, 0xd0, value);
    if (number < 0x8000) return put_number<std::uint16_t>(at, 0xd1, value);
    if (number < 0x80000000) return put_number<std::uint32_t>(at, 0xd2, value);
    return put_number<std::uint64_t>(at, 0xd3, value);
}

std::byte* msgpack_format::put_bytes(std::byte* at, std::uint64_t size) noexcept {
    return put_length(at, 0xc4, size);
}

std::byte* msgpack_format::put_text(std::byte* at, std::uint64_t size) noexcept {
    return size < 32 ? put_first(at, 0xa0 | size) : put_length(at, 0xd9, size);
}

std::byte* msgpack_format::put_array(std::byte* at, std::uint64_t count) noexcept {
    return put_count(at, 0x90, 0xdc, count);
}

std::byte* msgpack_format::put_map(std::byte* at, std::uint64_t count) noexcept {
    return put_count(at, 0x80, 0xde, count);
}

std::byte* msgpack_format::put_boolean(std::byte* at, bool value) noexcept {
    return put_first(at, value ? 0xc3 : 0xc2);
}

std::byte* msgpack_format::put_null(std::byte* at) noexcept { return put_first(at, 0xc0); }

std::byte* msgpack_format::put_float(std::byte* at, float value) noexcept {
    return put_number<std::uint32_t>(at, 0xca, std::bit_cast<std::uint32_t>(value));
}

std::byte* msgpack_format::put_double(std::byte* at, double value) noexcept {
    return put_number<std::uint64_t>(at, 0xcb, std::bit_cast<std::uint64_t>(value));
}

}  // namespace waybill
