/// MessagePack as a `Format` of the binary reader and writer (github.com/msgpack/msgpack, spec.md).
#pragma once

#include "binary_item.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace waybill {

/// Integers are as short as they go, floats as wide as their C++ type.
struct msgpack_format {
    static constexpr std::string_view name = "msgpack";
    static constexpr std::string_view content_type = "application/vnd.msgpack";
    static constexpr std::uint64_t max_count = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t head_size = 9;
    static constexpr bool sorts_keys = false;

    /// 64 bytes behind `rest` may be read.
    static std::size_t read_item(std::string_view rest, binary_item& item) noexcept;

    static std::byte* put_unsigned(std::byte* at, std::uint64_t number) noexcept;
    static std::byte* put_negative(std::byte* at, std::uint64_t number) noexcept;
    static std::byte* put_bytes(std::byte* at, std::uint64_t size) noexcept;
    static std::byte* put_text(std::byte* at, std::uint64_t size) noexcept;
    static std::byte* put_array(std::byte* at, std::uint64_t count) noexcept;
    static std::byte* put_map(std::byte* at, std::uint64_t count) noexcept;
    static std::byte* put_time_tag(std::byte* at) noexcept { return at; }
    static std::byte* put_boolean(std::byte* at, bool value) noexcept;
    static std::byte* put_null(std::byte* at) noexcept;
    static std::byte* put_float(std::byte* at, float value) noexcept;
    static std::byte* put_double(std::byte* at, double value) noexcept;
};

}  // namespace waybill
