/// Bytes of the three kinds that can hold them.
#pragma once

#include <waybill/arena.hpp>
#include <waybill/value_type.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace waybill {

/// Where `size` bytes of the object go, or null when it holds another number of them. Those of a
/// span go to the arena.
[[nodiscard]] inline std::byte* make_room(const value_type& type, void* object, std::size_t size,
                                          arena& kept) {
    if (type.kind == value_kind::bytes) {
        auto& bytes = *static_cast<std::vector<std::byte>*>(object);
        bytes.resize(size);
        return size == 0 ? static_cast<std::byte*>(object) : bytes.data();
    }
    if (type.kind == value_kind::fixed_bytes)
        return size == type.length ? static_cast<std::byte*>(object) : nullptr;
    auto* const at = reinterpret_cast<std::byte*>(kept.room(size + 1));
    *static_cast<std::span<const std::byte>*>(object) = {at, size};
    return at;
}

/// The bytes of the object.
[[nodiscard]] inline std::span<const std::byte> bytes_of(const value_type& type,
                                                         const void* object) noexcept {
    if (type.kind == value_kind::bytes) return *static_cast<const std::vector<std::byte>*>(object);
    if (type.kind == value_kind::borrowed_bytes)
        return *static_cast<const std::span<const std::byte>*>(object);
    return {static_cast<const std::byte*>(object), type.length};
}

}  // namespace waybill
