/// One CBOR item head at a time, as libcbor's streaming decoder tells it.
#pragma once

#include <cbor.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace waybill {

enum class cbor_kind : std::uint8_t {
    unsigned_integer,  ///< `number`
    negative_integer,  ///< -1 - `number`
    bytes,             ///< `content`
    text,              ///< `content`, not checked for UTF-8
    floating,          ///< `real`
    boolean,           ///< `number` is 0 or 1
    unassigned,        ///< a simple value without a meaning
    null,              ///< null or undefined
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
[[nodiscard]] constexpr bool is_plain(cbor_kind kind) noexcept { return kind <= cbor_kind::null; }

struct cbor_item {
    cbor_kind kind = cbor_kind::malformed;
    std::uint64_t number = 0;
    double real = 0;
    std::string_view content;
};

/// Leaves what libcbor tells in the `cbor_item` that is the context.
extern const cbor_callbacks cbor_item_callbacks;

/// What libcbor did not take: a simple value without a meaning, which is well-formed, or 0 with the
/// reason in `item`.
[[nodiscard, gnu::cold]] std::size_t read_unknown_cbor_item(std::string_view rest,
                                                            cbor_decoder_status status,
                                                            cbor_item& item) noexcept;

/// Reads the item at the front of `rest` into `item` and returns the bytes it takes, the content of
/// a definite string included; 0 when it is incomplete or malformed.
[[nodiscard]] inline std::size_t read_cbor_item(std::string_view rest, cbor_item& item) noexcept {
    const cbor_decoder_result result = cbor_stream_decode(reinterpret_cast<cbor_data>(rest.data()),
                                                          rest.size(), &cbor_item_callbacks, &item);
    if (result.status == CBOR_DECODER_FINISHED) [[likely]]
        return result.read;
    return read_unknown_cbor_item(rest, result.status, item);
}

}  // namespace waybill
