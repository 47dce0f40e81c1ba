/// One item of a binary format, or the head of one that is made of others. CBOR and MessagePack are
/// read by these; what only one of them has, the other never gives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill {

enum class binary_kind : std::uint8_t {
    unsigned_integer,  ///< `number`
    negative_integer,  ///< -1 - `number`
    bytes,             ///< `content`
    text,              ///< `content`, not checked for UTF-8
    floating,          ///< `real`
    boolean,           ///< `number` is 0 or 1
    null,              ///< null or undefined
    unassigned,        ///< CBOR's simple values without a meaning
    extension,         ///< `number` is its type, from -128 in two's complement
    // From here on there is more to come, or nothing.
    bytes_begin,  ///< chunks follow, then a stop
    text_begin,   ///< chunks follow, then a stop
    array,        ///< `number` elements follow
    map,          ///< `number` pairs follow
    array_begin,  ///< elements follow, then a stop
    map_begin,    ///< pairs follow, then a stop
    tag,          ///< `number`, of the item that follows
    stop,
    incomplete,  ///< the payload ends inside of the head or of its string
    malformed,
};

/// A value that is one item.
[[nodiscard]] constexpr bool is_plain(binary_kind kind) noexcept {
    return kind <= binary_kind::extension;
}

struct binary_item {
    binary_kind kind = binary_kind::malformed;
    std::uint64_t number = 0;
    double real = 0;
    std::string_view content;
};

/// What the item at the front of `rest` is, for people: a number, a text, "array", or its first
/// byte when it is nothing.
[[nodiscard]] std::string shown(const binary_item& item, std::string_view rest);

}  // namespace waybill
