/// Numbers as they travel: the most significant byte first.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace waybill {

template <std::unsigned_integral Number>
[[nodiscard]] Number load_big(const void* at) noexcept {
    Number number{};
    std::memcpy(&number, at, sizeof number);
    return std::endian::native == std::endian::big ? number : std::byteswap(number);
}

/// Returns the end of what it wrote.
template <std::unsigned_integral Number>
std::byte* store_big(std::byte* at, Number number) noexcept {
    if (std::endian::native != std::endian::big) number = std::byteswap(number);
    std::memcpy(at, &number, sizeof number);
    return at + sizeof number;
}

}  // namespace waybill
