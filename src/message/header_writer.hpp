/// Writes text headers in the packed form, one behind the other, for `headers::extend`: a copy and
/// a dead letter consist of little else, so one header costs a few dozen instructions.
///
/// Guarantee: what it writes reads back as if it had been appended. Whoever makes one sees to the
/// room: `room_for` each header, with its value's size.
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

}  // namespace detail

class header_writer {
public:
    explicit header_writer(std::byte* at) noexcept : at_{at} {}

    /// Enough for one of the runtime's own headers.
    static constexpr std::size_t room_for(std::size_t value_size) noexcept {
        return sizeof(detail::header_stem) + value_size;
    }
    static constexpr std::size_t longest_number = 20;

    /// Begins a header; what is put until `end` is its value.
    void begin(known_header known) noexcept {
        const auto& stem = detail::header_stems[static_cast<std::size_t>(known)];
        start(stem.prefix);
        // All of it: a copy of a constant size is no call.
        std::memcpy(at_, stem.name.data(), stem.name.size());
        at_ += stem.prefix.name_size;
    }
    void begin(std::string_view name) noexcept {
        start({0, text_kind, static_cast<std::uint16_t>(name.size()), 0});
        put(name);
    }
    void put(std::string_view text) noexcept {
        if (!text.empty()) std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void put(std::int64_t number) noexcept {
        auto* at = reinterpret_cast<char*>(at_);
        at_ = reinterpret_cast<std::byte*>(std::to_chars(at, at + longest_number, number).ptr);
    }
    void end() noexcept {
        const auto size = static_cast<std::uint32_t>(at_ - (begun_ + sizeof(prefix)) - name_size_);
        std::memcpy(begun_ + offsetof(prefix, value_size), &size, sizeof size);
    }
    template <class Value>
    void write(known_header known, Value value) noexcept {
        begin(known);
        put(value);
        end();
    }
    /// Headers that are packed already.
    void write(std::span<const std::byte> packed) noexcept {
        std::memcpy(at_, packed.data(), packed.size());
        at_ += packed.size();
    }

    /// Behind what was written.
    [[nodiscard]] std::byte* place() const noexcept { return at_; }

private:
    using prefix = detail::packed_header;
    static constexpr auto text_kind = static_cast<std::uint8_t>(header_kind::text);
    void start(prefix what) noexcept {
        begun_ = at_;
        name_size_ = what.name_size;
        std::memcpy(at_, &what, sizeof what);
        at_ += sizeof what;
    }

    std::byte* at_;
    std::byte* begun_ = nullptr;
    std::uint32_t name_size_ = 0;
};

}  // namespace waybill
