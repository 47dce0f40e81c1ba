/// Message types and short forms that the codec tests share.
#pragma once

#include <waybill/codec.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samples {

enum class state : int { open, paid = 7, lost = -3 };
enum legacy : unsigned char { legacy_off, legacy_on };

struct id_only {
    std::uint64_t id = 0;
    bool operator==(const id_only&) const = default;
};

struct line {
    std::string sku;
    std::uint32_t cents = 0;
    std::optional<std::string> note;
    bool operator==(const line&) const = default;
};

struct order {
    std::uint64_t id = 0;
    std::string customer;
    std::vector<line> lines;
    state status = state::open;
    std::optional<line> gift;
    std::vector<std::byte> blob;
    std::vector<bool> flags;
    double weight = 0;
    float rate = 0;
    bool express = false;
    std::optional<std::int16_t> shelf = 4;  // absent means 4
    bool operator==(const order&) const = default;
};

struct numbers {
    std::int8_t i8 = 0;
    std::int16_t i16 = 0;
    std::int32_t i32 = 0;
    std::int64_t i64 = 0;
    std::uint8_t u8 = 0;
    std::uint16_t u16 = 0;
    std::uint32_t u32 = 0;
    std::uint64_t u64 = 0;
    bool operator==(const numbers&) const = default;
};

struct tree {
    int value = 0;
    std::vector<tree> children;
    bool operator==(const tree&) const = default;
};

struct nothing {
    bool operator==(const nothing&) const = default;
};

inline order full_order() {
    return {.id = 18446744073709551615U,
            .customer = "Zoë \"Z\" \\ \n\t\x01 \U0001F600",
            .lines = {{"A-1", 100, "fragile, this side up, keep dry"}, {"B-2", 4294967295, {}}},
            .status = state::lost,
            .gift = line{"G", 1, {}},
            .blob = {std::byte{0}, std::byte{0xff}, std::byte{0x10}, std::byte{7}},
            .flags = {true, false, true},
            .weight = 0.1,
            .rate = 2.5F,
            .express = true,
            .shelf = -4};
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

/// "62 69 64" as three bytes; spaces do not matter.
inline std::vector<std::byte> from_hex(std::string_view text) {
    std::string digits;
    for (const char letter : text)
        if (letter != ' ') digits += letter;
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    return bytes;
}

inline std::string to_hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte one : bytes) {
        text += "0123456789abcdef"[std::to_integer<unsigned>(one) >> 4];
        text += "0123456789abcdef"[std::to_integer<unsigned>(one) & 0xf];
    }
    return text;
}

/// Reads into an object that may have been used before and borrows nothing; 64 bytes behind the
/// payload are readable.
template <class T>
    requires(!waybill::borrowing<T>)
std::expected<void, waybill::error> read_into(T& object, const waybill::codec& from,
                                              std::span<const std::byte> payload) {
    waybill::arena kept;
    return from->decode(waybill::value_type_of<T>(), &object, payload, kept);
}

template <class T>
std::expected<T, waybill::error> from_json(std::string_view text) {
    return waybill::decode<T>(waybill::codecs::json(), bytes_of(text));
}

template <class T>
std::expected<T, waybill::error> from_cbor(std::string_view hex) {
    return waybill::decode<T>(waybill::codecs::cbor(), from_hex(hex));
}

template <class T>
std::expected<T, waybill::error> from_msgpack(std::string_view hex) {
    return waybill::decode<T>(waybill::codecs::msgpack(), from_hex(hex));
}

/// The JSON text, or the error's message.
template <class T>
std::string to_json(const T& value) {
    const auto bytes = waybill::encode(waybill::codecs::json(), value);
    if (!bytes) return bytes.error().message();
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

/// CBOR as hexadecimal digits, or the error's message.
template <class T>
std::string to_cbor(const T& value) {
    const auto bytes = waybill::encode(waybill::codecs::cbor(), value);
    return bytes ? to_hex(*bytes) : bytes.error().message();
}

/// MessagePack as hexadecimal digits, or the error's message.
template <class T>
std::string to_msgpack(const T& value) {
    const auto bytes = waybill::encode(waybill::codecs::msgpack(), value);
    return bytes ? to_hex(*bytes) : bytes.error().message();
}

/// The pieces of a payload that repeats itself.
inline std::string repeated(std::size_t count, std::string_view piece) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += piece;
    return all;
}

/// The error's message, or "decoded".
template <class T>
std::string error_of(const std::expected<T, waybill::error>& result) {
    return result ? "decoded" : result.error().message();
}

}  // namespace samples
