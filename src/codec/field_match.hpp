/// Finds the field that a key names. Keys mostly come in the order of the fields.
#pragma once

#include <waybill/fields.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace waybill {

[[nodiscard]] inline std::uint64_t load_8(const char* at) noexcept {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, 8);
    return eight;
}

/// Whether the field's name and a closing quote stand at `key`, where 16 bytes may be read.
[[nodiscard]] inline bool matches_quoted(const field& candidate, const char* key) noexcept {
    const std::uint64_t differs = ((load_8(key) ^ candidate.head[0]) & candidate.mask[0]) |
                                  ((load_8(key + 8) ^ candidate.head[1]) & candidate.mask[1]);
    if (differs != 0) return false;
    return candidate.name_size < 16 ||
           std::memcmp(key, candidate.key_text + 2, candidate.name_size + 1) == 0;
}

/// Whether `key` is the field's name.
[[nodiscard]] inline bool matches(const field& candidate, std::string_view key) noexcept {
    return key.size() == candidate.name_size &&
           std::memcmp(key.data(), candidate.key_text + 2, key.size()) == 0;
}

/// The bits of all fields of an aggregate.
[[nodiscard]] inline std::uint32_t all_fields(const value_type& type) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{1} << type.fields.size()) - 1);
}

/// Sets the optional members whose bits are in `absent` to what `T{}` holds.
void fill_absent(const value_type& type, void* object, std::uint32_t absent);

/// "missing field "x"" for the first of the bits.
[[nodiscard]] std::string missing_text(const value_type& type, std::uint32_t missing);

}  // namespace waybill
