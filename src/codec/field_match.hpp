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

/// Whether `"name":` stands at `key`, where 16 bytes may be read.
[[nodiscard]] inline bool matches_quoted(const field_info& candidate, const char* key) noexcept {
    const std::uint64_t differs = ((load_8(key) ^ candidate.head[0]) & candidate.mask[0]) |
                                  ((load_8(key + 8) ^ candidate.head[1]) & candidate.mask[1]);
    if (differs != 0) return false;
    return candidate.name_size <= 13 ||
           std::memcmp(key, candidate.key_text + 1, candidate.name_size + 3) == 0;
}

/// Whether `key`, behind which 8 bytes may be read, is the field's name.
[[nodiscard]] inline bool matches(const field_info& candidate, std::string_view key) noexcept {
    if (key.size() != candidate.name_size) return false;
    const char* const name = candidate.key_text + 2;
    std::size_t at = 0;
    for (; at + 8 < key.size(); at += 8)
        if (load_8(key.data() + at) != load_8(name + at)) return false;
    // One to eight bytes are left: the rest of the word is shifted out.
    const std::uint64_t differs = load_8(key.data() + at) ^ load_8(name + at);
    return differs << 8 * (8 - (key.size() - at)) == 0;
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
