/// CBOR (RFC 8949) as a `Format` of the binary reader and writer: libcbor reads and writes the
/// heads.
#pragma once

#include "binary_item.hpp"

#include <cbor.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace waybill {

/// Leaves what libcbor tells in the `binary_item` that is the context.
extern const cbor_callbacks cbor_item_callbacks;

/// What libcbor did not take: a tag from 6 on in one byte or a simple value without a meaning,
/// which are well-formed, or 0 with the reason in `item`.
[[nodiscard, gnu::cold]] std::size_t read_unknown_cbor_item(std::string_view rest,
                                                            cbor_decoder_status status,
                                                            binary_item& item) noexcept;

/// Integers are as short as they go, floats as wide as their C++ type.
struct cbor_format {
    static constexpr std::string_view name = "cbor";
    static constexpr std::string_view content_type = "application/cbor";
    static constexpr std::uint64_t max_count = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::size_t head_size = 9;
    static constexpr bool sorts_keys = false;

    static std::size_t read_item(std::string_view rest, binary_item& item) noexcept {
        const cbor_decoder_result result = cbor_stream_decode(
            reinterpret_cast<cbor_data>(rest.data()), rest.size(), &cbor_item_callbacks, &item);
        if (result.status == CBOR_DECODER_FINISHED) [[likely]]
            return result.read;
        return read_unknown_cbor_item(rest, result.status, item);
    }

    static std::byte* put_unsigned(std::byte* at, std::uint64_t number) noexcept {
        return at + cbor_encode_uint(number, raw(at), head_size);
    }
    static std::byte* put_negative(std::byte* at, std::uint64_t number) noexcept {
        return at + cbor_encode_negint(number, raw(at), head_size);
    }
    static std::byte* put_bytes(std::byte* at, std::uint64_t size) noexcept {
        return at + cbor_encode_bytestring_start(size, raw(at), head_size);
    }
    static std::byte* put_text(std::byte* at, std::uint64_t size) noexcept {
        return at + cbor_encode_string_start(size, raw(at), head_size);
    }
    static std::byte* put_array(std::byte* at, std::uint64_t count) noexcept {
        return at + cbor_encode_array_start(count, raw(at), head_size);
    }
    static std::byte* put_map(std::byte* at, std::uint64_t count) noexcept {
        return at + cbor_encode_map_start(count, raw(at), head_size);
    }
    static std::byte* put_time_tag(std::byte* at) noexcept {
        return at + cbor_encode_tag(0, raw(at), head_size);
    }
    static std::byte* put_boolean(std::byte* at, bool value) noexcept {
        return at + cbor_encode_bool(value, raw(at), head_size);
    }
    static std::byte* put_null(std::byte* at) noexcept {
        return at + cbor_encode_null(raw(at), head_size);
    }
    static std::byte* put_float(std::byte* at, float value) noexcept {
        return at + cbor_encode_single(value, raw(at), head_size);
    }
    static std::byte* put_double(std::byte* at, double value) noexcept {
        return at + cbor_encode_double(value, raw(at), head_size);
    }

private:
    static unsigned char* raw(std::byte* at) noexcept {
        return reinterpret_cast<unsigned char*>(at);
    }
};

}  // namespace waybill
