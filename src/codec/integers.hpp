/// Integers and enums of any width behind a `void*`.
#pragma once

#include <waybill/fields.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace waybill {

/// Writes the low `size` (1, 2, 4, 8) bytes of `value`.
inline void store_integer(void* at, std::uint32_t size, std::uint64_t value) noexcept {
    switch (size) {
        case 8:
            std::memcpy(at, &value, 8);
            break;
        case 4:
            std::memcpy(at, &value, 4);
            break;
        case 2:
            std::memcpy(at, &value, 2);
            break;
        default:
            std::memcpy(at, &value, 1);
            break;
    }
}

template <class Number>
[[nodiscard]] Number load_as(const void* at) noexcept {
    Number value{};
    std::memcpy(&value, at, sizeof value);
    return value;
}

[[nodiscard]] inline std::uint64_t load_unsigned(const void* at, std::uint32_t size) noexcept {
    switch (size) {
        case 8:
            return load_as<std::uint64_t>(at);
        case 4:
            return load_as<std::uint32_t>(at);
        case 2:
            return load_as<std::uint16_t>(at);
        default:
            return load_as<std::uint8_t>(at);
    }
}

[[nodiscard]] inline std::int64_t load_signed(const void* at, std::uint32_t size) noexcept {
    switch (size) {
        case 8:
            return load_as<std::int64_t>(at);
        case 4:
            return load_as<std::int32_t>(at);
        case 2:
            return load_as<std::int16_t>(at);
        default:
            return load_as<std::int8_t>(at);
    }
}

/// The enumerator with the value at `at`, or null when it has no name.
[[nodiscard]] inline const enumerator* find_enumerator(const value_type& type,
                                                       const void* at) noexcept {
    const std::uint64_t bits = load_unsigned(at, type.size);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * type.size);
    for (const enumerator& one : type.enumerators)
        if ((static_cast<std::uint64_t>(one.value) & mask) == bits) return &one;
    return nullptr;
}

/// The enumerator called `name`, or null.
[[nodiscard]] inline const enumerator* find_enumerator(const value_type& type,
                                                       std::string_view name) noexcept {
    for (const enumerator& one : type.enumerators)
        if (one.name == name) return &one;
    return nullptr;
}

}  // namespace waybill
