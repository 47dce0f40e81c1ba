#include "codec/utf8.hpp"
#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/octets.hpp"
#include "transport/rabbitmq/property_names.hpp"

#include <simdjson.h>

#include <bit>
#include <cmath>

namespace waybill::rabbitmq {
namespace {

using detail::packed_header;

void pack(byte_buffer& to, known_header known, std::string_view name, header_kind kind,
          wire_type type, const void* value, std::size_t size) {
    const packed_header entry{static_cast<std::uint8_t>(known),
                              detail::packed_type(kind, static_cast<std::uint8_t>(type)),
                              static_cast<std::uint16_t>(name.size()),
                              static_cast<std::uint32_t>(size)};
    auto* at = to.extend(sizeof entry + name.size() + size);
    std::memcpy(at, &entry, sizeof entry);
    if (!name.empty()) std::memcpy(at + sizeof entry, name.data(), name.size());
    if (size != 0) std::memcpy(at + sizeof entry + name.size(), value, size);
}

/// One entry of headers that is being written.
struct named {
    byte_buffer& packed;
    known_header known;
    std::string_view name;

    void empty() const {
        pack(packed, known, name, header_kind::null, wire_type::usual, nullptr, 0);
    }
    void truth(bool value) const {
        const unsigned char byte = value ? 1 : 0;
        pack(packed, known, name, header_kind::boolean, wire_type::usual, &byte, 1);
    }
    void integer(std::int64_t value, wire_type type) const {
        pack(packed, known, name, header_kind::integer, type, &value, sizeof value);
    }
    void natural(std::uint64_t value, wire_type type) const {
        pack(packed, known, name, header_kind::unsigned_integer, type, &value, sizeof value);
    }
    void floating(std::uint64_t bits, wire_type type) const {
        pack(packed, known, name, header_kind::floating, type, &bits, sizeof bits);
    }
    void bytes(std::span<const std::byte> value, wire_type type) const {
        pack(packed, known, name, header_kind::bytes, type, value.data(), value.size());
    }
    void text(std::string_view value) const {
        const bool readable = is_ascii(value) || simdjson::validate_utf8(value);
        pack(packed, known, name, readable ? header_kind::text : header_kind::bytes,
             readable ? wire_type::usual : wire_type::long_string, value.data(), value.size());
    }
};

/// A conversion by the processor would make a signalling NaN a quiet one.
std::uint64_t widened(std::uint32_t bits) noexcept {
    const auto value = std::bit_cast<float>(bits);
    if (!std::isnan(value)) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    return std::uint64_t{bits >> 31U} << 63U | std::uint64_t{0x7FF} << 52U |
           std::uint64_t{bits & 0x7FFFFFU} << 29U;
}

template <class Signed, std::unsigned_integral Number>
std::int64_t as_signed(Number value) noexcept {
    return static_cast<Signed>(value);
}

bool read_value(octet_reader& from, const named& to) {
    const auto kind = static_cast<char>(from.number<std::uint8_t>());
    switch (kind) {
        case 'V':
            to.empty();
            break;
        case 't':
            to.truth(from.number<std::uint8_t>() != 0);
            break;
        case 'b':
            to.integer(as_signed<std::int8_t>(from.number<std::uint8_t>()), wire_type::i8);
            break;
        case 'B':
            to.natural(from.number<std::uint8_t>(), wire_type::u8);
            break;
        case 's':
            to.integer(as_signed<std::int16_t>(from.number<std::uint16_t>()), wire_type::i16);
            break;
        case 'u':
            to.natural(from.number<std::uint16_t>(), wire_type::u16);
            break;
        case 'I':
            to.integer(as_signed<std::int32_t>(from.number<std::uint32_t>()), wire_type::i32);
            break;
        case 'i':
            to.natural(from.number<std::uint32_t>(), wire_type::u32);
            break;
        case 'l':
            to.integer(as_signed<std::int64_t>(from.number<std::uint64_t>()), wire_type::usual);
            break;
        case 'L':
            to.natural(from.number<std::uint64_t>(), wire_type::u64);
            break;
        case 'f':
            to.floating(widened(from.number<std::uint32_t>()), wire_type::f32);
            break;
        case 'd':
            to.floating(from.number<std::uint64_t>(), wire_type::usual);
            break;
        case 'T':
            to.natural(from.number<std::uint64_t>(), wire_type::timestamp);
            break;
        case 'D':
            to.bytes(from.bytes(5), wire_type::decimal);
            break;
        case 'x':
            to.bytes(from.long_bytes(), wire_type::usual);
            break;
        case 'S':
            to.text(from.text(from.number<std::uint32_t>()));
            break;
        case 'F':
        case 'A': {
            const auto inside = from.long_bytes();
            if (!from.ok() || !is_well_formed(inside, kind == 'A')) return false;
            to.bytes(inside, kind == 'A' ? wire_type::array : wire_type::table);
            break;
        }
        default:
            return false;
    }
    return from.ok();
}

/// What a table's own name is: never a property's.
known_header known_in_table(std::string_view name) noexcept {
    const auto known = known_header_named(name);
    return known == known_header::property ? known_header::none : known;
}

}  // namespace

bool read_table(std::span<const std::byte> entries, byte_buffer& packed) {
    octet_reader from{entries};
    while (from.left() != 0) {
        const auto name = from.short_string();
        if (!read_value(from, {packed, known_in_table(name), name})) return false;
    }
    return from.ok();
}

bool read_array(std::span<const std::byte> values, byte_buffer& packed) {
    octet_reader from{values};
    while (from.left() != 0) {
        if (!read_value(from, {packed, known_header::none, {}})) return false;
    }
    return from.ok();
}

bool read_properties(std::span<const std::byte> from_flags_on, byte_buffer& packed) {
    octet_reader from{from_flags_on};
    const auto flags = from.number<std::uint16_t>();
    // The last bit says that more flags follow; the protocol's basic class has no use for them.
    if ((flags & 3U) != 0) return false;
    std::span<const std::byte> table;
    for (std::size_t place = 0; place < property_places.size(); ++place) {
        if ((flags >> (15U - place) & 1U) == 0) continue;
        const auto [name, form] = property_places[place];
        const named to{packed, known_header::property, name};
        switch (form) {
            case property_form::table:
                table = from.long_bytes();
                break;
            case property_form::octet:
                to.natural(from.number<std::uint8_t>(), wire_type::usual);
                break;
            case property_form::timestamp:
                to.natural(from.number<std::uint64_t>(), wire_type::usual);
                break;
            case property_form::text:
                to.text(from.short_string());
                break;
        }
    }
    return from.ok() && from.left() == 0 && read_table(table, packed);
}

}  // namespace waybill::rabbitmq
