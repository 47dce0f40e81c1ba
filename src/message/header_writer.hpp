/// Writes text headers in the packed form, one behind the other: a copy and a dead letter consist
/// of little else, so one header costs a few dozen instructions.
///
/// Guarantee: what is written is what `headers` would hold if it had been appended. Whoever calls
/// sees to the room: `room_for_header` with the value's size for each. Each function returns the
/// place behind what it wrote; nothing is kept between calls, because a store of a byte may change
/// anything that lies in memory, and would have it read again.
#pragma once

#include "message/known_names.hpp"
#include <waybill/headers.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace waybill {

namespace detail {

/// What one of the runtime's own headers begins with.
struct header_stem {
    packed_header prefix;
    std::array<char, 24> name;
};

consteval std::array<header_stem, known_names.size()> make_header_stems() {
    std::array<header_stem, known_names.size()> made{};
    for (std::size_t at = 0; at < made.size(); ++at) {
        const auto name = known_names[at];
        made[at].prefix = {static_cast<std::uint8_t>(at),
                           static_cast<std::uint8_t>(header_kind::text),
                           static_cast<std::uint16_t>(name.size()), 0};
        std::copy(name.begin(), name.end(), made[at].name.begin());
    }
    return made;
}
inline constexpr auto header_stems = make_header_stems();

/// Two loads and stores that may overlap, instead of a call.
template <std::size_t Width>
void copy_ends(std::byte* to, std::span<const char> from) noexcept {
    std::array<char, Width> first;
    std::array<char, Width> last;
    std::memcpy(&first, from.data(), Width);
    std::memcpy(&last, from.data() + from.size() - Width, Width);
    std::memcpy(to, &first, Width);
    std::memcpy(to + from.size() - Width, &last, Width);
}

/// Most values have between 8 and 32 bytes, and most numbers one digit.
inline std::byte* put(std::byte* at, std::string_view text) noexcept {
    const auto size = text.size();
    if (size - 16 <= 16) {
        copy_ends<16>(at, text);
    } else if (size - 8 <= 8) {
        copy_ends<8>(at, text);
    } else if (size == 1) {
        *at = static_cast<std::byte>(text.front());
    } else if (size != 0) {
        std::memcpy(at, text.data(), size);
    }
    return at + size;
}
inline std::byte* put(std::byte* at, std::uint32_t number) noexcept {
    if (number < 10) [[likely]] {
        *at = static_cast<std::byte>('0' + number);
        return at + 1;
    }
    auto* const to = reinterpret_cast<char*>(at);
    return reinterpret_cast<std::byte*>(std::to_chars(to, to + 10, number).ptr);
}

/// Writes a value's size into the prefix of its header.
inline std::byte* sized(std::byte* header, const std::byte* value, std::byte* end) noexcept {
    const auto size = static_cast<std::uint32_t>(end - value);
    std::memcpy(header + offsetof(packed_header, value_size), &size, sizeof size);
    return end;
}

}  // namespace detail

/// Enough for one of the runtime's own headers.
constexpr std::size_t room_for_header(std::size_t value_size) noexcept {
    return sizeof(detail::header_stem) + value_size;
}

/// The value is all the parts, texts and numbers, without anything between them.
template <class... Part>
std::byte* write_header(std::byte* at, known_header known, const Part&... parts) noexcept {
    const auto& stem = detail::header_stems[static_cast<std::size_t>(known)];
    // All of it: a copy of a constant size is no call.
    std::memcpy(at, &stem, sizeof stem);
    auto* const value = at + sizeof stem.prefix + stem.prefix.name_size;
    auto* end = value;
    ((end = detail::put(end, parts)), ...);
    return detail::sized(at, value, end);
}

/// A header whose name somebody else chose.
template <class... Part>
std::byte* write_header(std::byte* at, std::string_view name, const Part&... parts) noexcept {
    const detail::packed_header prefix{0, static_cast<std::uint8_t>(header_kind::text),
                                       static_cast<std::uint16_t>(name.size()), 0};
    std::memcpy(at, &prefix, sizeof prefix);
    auto* const value = detail::put(at + sizeof prefix, name);
    auto* end = value;
    ((end = detail::put(end, parts)), ...);
    return detail::sized(at, value, end);
}

}  // namespace waybill
