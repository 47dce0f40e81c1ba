/// One CBOR item head at a time, as libcbor's streaming decoder tells it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

enum class cbor_kind : std::uint8_t {
    unsigned_integer,  ///< `number`
    negative_integer,  ///< -1 - `number`
    bytes,             ///< `content`
    text,              ///< `content`, not checked for UTF-8
    bytes_begin,       ///< chunks follow, then a stop
    text_begin,        ///< chunks follow, then a stop
    array,             ///< `number` elements follow
    map,               ///< `number` pairs follow
    array_begin,       ///< elements follow, then a stop
    map_begin,         ///< pairs follow, then a stop
    tag,               ///< `number`, of the item that follows
    floating,          ///< `real`
    boolean,           ///< `number` is 0 or 1
    null,              ///< null or undefined
    stop,
    incomplete,  ///< the payload ends inside of the head or of its string
    malformed,
};

/// Major types 0 to 5 of RFC 8949, section 3.1.
inline constexpr std::array definite_kinds{cbor_kind::unsigned_integer,
                                           cbor_kind::negative_integer,
                                           cbor_kind::bytes,
                                           cbor_kind::text,
                                           cbor_kind::array,
                                           cbor_kind::map};

struct cbor_item {
    cbor_kind kind = cbor_kind::malformed;
    std::uint64_t number = 0;
    double real = 0;
    std::string_view content;
};

/// As `read_cbor_item`, by libcbor.
std::size_t read_any_cbor_item(std::string_view rest, cbor_item& item) noexcept;

/// Reads the item at the front of `rest` into `item` and returns the bytes it takes, the content of
/// a definite string included; 0 when it is incomplete or malformed. 8 bytes behind the first may
/// be read.
[[nodiscard]] inline std::size_t read_cbor_item(std::string_view rest, cbor_item& item) noexcept {
    // Lengths and numbers of definite items below 2^32 make up nearly all of a payload and are
    // worth doing without a call; libcbor sees to the rest and to whatever is wrong.
    constexpr unsigned largest_major = 5;
    const auto* const at = reinterpret_cast<const unsigned char*>(rest.data());
    if (rest.empty()) return read_any_cbor_item(rest, item);
    const unsigned major = *at >> 5;
    std::uint64_t number = *at & 0x1f;
    std::size_t size = 1;
    if (major > largest_major || number > 26) return read_any_cbor_item(rest, item);
    if (number >= 24) {
        const unsigned width = 1U << (number - 24);
        std::uint32_t big_endian = 0;
        std::memcpy(&big_endian, at + 1, 4);
        number = __builtin_bswap32(big_endian) >> (32 - 8 * width);
        size += width;
    }
    if (size > rest.size()) return read_any_cbor_item(rest, item);
    item.kind = definite_kinds[major];
    item.number = number;
    if (item.kind != cbor_kind::text && item.kind != cbor_kind::bytes) return size;
    if (number > rest.size() - size) return read_any_cbor_item(rest, item);
    item.content = rest.substr(size, number);
    return size + number;
}

}  // namespace waybill
