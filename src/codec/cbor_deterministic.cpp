#include "cbor_deterministic.hpp"

#include "big_endian.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace waybill {
namespace {

constexpr float largest_half = 65504;
constexpr float smallest_normal_half = 0x1p-14F;
constexpr float smallest_half = 0x1p-24F;

/// Every half is a multiple of the smallest and has at most 11 significant bits.
bool fits_half(float value) noexcept {
    if (!std::isfinite(value)) return true;
    const float steps = value / smallest_half;
    const bool short_enough = (std::bit_cast<std::uint32_t>(value) & 0x1fffU) == 0;
    return short_enough && std::abs(value) <= largest_half && steps == std::trunc(steps);
}

/// The bits of a value that fits. libcbor's own encoder rounds those below the smallest normal.
std::uint32_t half_bits(float value) noexcept {
    if (std::isnan(value)) return 0x7e00;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000U;
    const float size = std::abs(value);
    if (std::isinf(value)) return sign | 0x7c00U;
    if (size < smallest_normal_half) return sign | static_cast<std::uint32_t>(size / smallest_half);
    constexpr std::uint32_t rebias = (127 - 15) << 10;
    return sign | ((bits >> 13 & 0x3ffffU) - rebias);
}

}  // namespace

std::byte* deterministic_cbor_format::put_float(std::byte* at, float value) noexcept {
    if (!fits_half(value)) return cbor_format::put_float(at, value);
    *at = std::byte{0xf9};
    return store_big(at + 1, static_cast<std::uint16_t>(half_bits(value)));
}

std::byte* deterministic_cbor_format::put_double(std::byte* at, double value) noexcept {
    const auto narrow = static_cast<float>(value);
    if (std::isnan(value) || static_cast<double>(narrow) == value) return put_float(at, narrow);
    return cbor_format::put_double(at, value);
}

}  // namespace waybill
