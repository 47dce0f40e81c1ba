/// Big-endian numbers and short strings, as the protocol has them.
///
/// Guarantee: a reader never looks behind the bytes that it was given. The first thing that is not
/// there makes it fail for good: it then gives zeros and empty strings, and `ok` says so once at
/// the end of a run of reads.
#pragma once

#include <waybill/byte_buffer.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace waybill::rabbitmq {

template <std::unsigned_integral Number>
[[nodiscard]] inline Number from_network(const std::byte* at) noexcept {
    Number value = 0;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
    return value;
}

template <std::unsigned_integral Number>
inline void to_network(std::byte* at, Number value) noexcept {
    if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
    std::memcpy(at, &value, sizeof value);
}

class octet_reader {
public:
    explicit octet_reader(std::span<const std::byte> from) noexcept
        : at_{from.data()}, end_{from.data() + from.size()} {}

    template <std::unsigned_integral Number>
    [[nodiscard]] Number number() noexcept {
        if (left() < sizeof(Number)) [[unlikely]]
            return static_cast<Number>(give_up());
        const auto value = from_network<Number>(at_);
        at_ += sizeof(Number);
        return value;
    }
    [[nodiscard]] std::span<const std::byte> bytes(std::size_t size) noexcept {
        if (left() < size) [[unlikely]]
            size = give_up();
        const std::span<const std::byte> taken{at_, size};
        at_ += size;
        return taken;
    }
    [[nodiscard]] std::string_view text(std::size_t size) noexcept {
        const auto taken = bytes(size);
        return {reinterpret_cast<const char*>(taken.data()), taken.size()};
    }
    [[nodiscard]] std::string_view short_string() noexcept { return text(number<std::uint8_t>()); }
    /// A length of four bytes, and what it counts. @{
    [[nodiscard]] std::span<const std::byte> long_bytes() noexcept {
        return bytes(number<std::uint32_t>());
    }
    /// @}

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] bool ok() const noexcept { return ok_; }
    /// Fails it: what comes next cannot be understood. 0, as what can be read from then on.
    std::size_t give_up() noexcept {
        ok_ = false;
        at_ = end_;
        return 0;
    }

private:
    const std::byte* at_;
    const std::byte* end_;
    bool ok_ = true;
};

template <std::unsigned_integral Number>
inline void put(byte_buffer& to, Number value) {
    to_network(to.extend(sizeof value), value);
}

/// At most 255 bytes.
inline void put_short(byte_buffer& to, std::string_view text) {
    put(to, static_cast<std::uint8_t>(text.size()));
    to.append(text);
}

}  // namespace waybill::rabbitmq
