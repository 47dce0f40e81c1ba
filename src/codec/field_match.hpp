/// Finds the field that a key names. Keys mostly come in the order of the fields.
#pragma once

#include <waybill/fields.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace waybill {

/// Whether `size` (at least 1) bytes are the same; 7 bytes behind both may be read.
[[nodiscard]] inline bool same_bytes(const char* one, const char* other,
                                     std::size_t size) noexcept {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    for (; size > 8; size -= 8, one += 8, other += 8) {
        std::memcpy(&left, one, 8);
        std::memcpy(&right, other, 8);
        if (left != right) return false;
    }
    std::memcpy(&left, one, 8);
    std::memcpy(&right, other, 8);
    return (left ^ right) << 8 * (8 - size) == 0;
}

/// Whether the JSON key that starts at `key`, behind its quote, is spelled as the field's name.
[[nodiscard]] inline bool matches_raw(const field_info& candidate, const char* key) noexcept {
    std::uint64_t eight = 0;
    std::memcpy(&eight, key, 8);
    if (((eight ^ candidate.head) & candidate.mask) != 0) return false;
    return candidate.name_size < 8 ||
           same_bytes(key + 8, candidate.key_text + 9, candidate.name_size - 7);
}

/// Whether `key`, behind which 8 bytes may be read, is the field's name.
[[nodiscard]] inline bool matches(const field_info& candidate, std::string_view key) noexcept {
    return key.size() == candidate.name_size &&
           same_bytes(&key.front(), candidate.key_text + 1, candidate.name_size);
}

/// Sets the members whose bits are in `absent` to what they are without a payload; false when the
/// budget is spent.
[[nodiscard]] bool fill_absent(const value_type& type, void* object, std::uint32_t absent,
                               memory_budget& budget);

/// What the readers of all formats say.
inline constexpr std::string_view unknown_field = "unknown field in a closed type";
inline constexpr std::string_view one_alternative = "expected exactly one alternative";
inline constexpr std::string_view over_budget =
    "the value takes more than 48 times the memory of its payload";

/// "expected an array of 3 elements"
[[nodiscard]] std::string length_text(const value_type& type);
/// "expected an array of 3 elements, found 2"
[[nodiscard]] std::string length_text(const value_type& type, std::uint32_t found);

/// The index of the alternative called `name`, or their number.
[[nodiscard]] std::size_t find_alternative(const value_type& type, std::string_view name) noexcept;

/// "expected paid, failed or refunded"
[[nodiscard]] std::string alternatives_text(const value_type& type);

/// "missing field "x"" for the first of the bits.
[[nodiscard]] std::string missing_text(const value_type& type, std::uint32_t missing);

}  // namespace waybill
