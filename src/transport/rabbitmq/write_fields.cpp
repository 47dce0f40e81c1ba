#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/octets.hpp"
#include "transport/rabbitmq/property_names.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace waybill::rabbitmq {
namespace {

std::unexpected<error> refused(std::string_view name, std::string what, std::string fix) {
    // A name that is too long is not repeated at length.
    std::string where{name.substr(0, 64)};
    if (name.size() > 64) where += "...";
    return std::unexpected{
        error{errc::refused, "header \"" + where + "\"", std::move(what), std::move(fix)}};
}

void put_kind(byte_buffer& to, char kind) { put(to, static_cast<std::uint8_t>(kind)); }

void put_long(byte_buffer& to, char kind, std::span<const std::byte> bytes) {
    put_kind(to, kind);
    put(to, static_cast<std::uint32_t>(bytes.size()));
    to.append(bytes.data(), bytes.size());
}

/// Writes the number in the width of the kind; false when it does not fit.
template <std::integral Narrow, std::integral Wide>
bool put_number(byte_buffer& to, char kind, Wide value) {
    if (!std::in_range<Narrow>(value)) return false;
    put_kind(to, kind);
    put(to, static_cast<std::make_unsigned_t<Narrow>>(value));
    return true;
}

bool put_integer(byte_buffer& to, wire_type type, std::int64_t value) {
    switch (type) {
        case wire_type::i8:
            return put_number<std::int8_t>(to, 'b', value);
        case wire_type::i16:
            return put_number<std::int16_t>(to, 's', value);
        case wire_type::i32:
            return put_number<std::int32_t>(to, 'I', value);
        default:
            return put_number<std::int64_t>(to, 'l', value);
    }
}

bool put_natural(byte_buffer& to, wire_type type, std::uint64_t value) {
    switch (type) {
        case wire_type::u8:
            return put_number<std::uint8_t>(to, 'B', value);
        case wire_type::u16:
            return put_number<std::uint16_t>(to, 'u', value);
        case wire_type::u32:
            return put_number<std::uint32_t>(to, 'i', value);
        case wire_type::u64:
            return put_number<std::uint64_t>(to, 'L', value);
        case wire_type::timestamp:
            return put_number<std::uint64_t>(to, 'T', value);
        default:
            return put_number<std::int64_t>(to, 'l', value);
    }
}

/// False when it is not finite there.
bool put_floating(byte_buffer& to, wire_type type, double value) {
    const bool narrow = type == wire_type::f32;
    if (!(std::abs(value) <=
          (narrow ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()))) {
        return false;
    }
    put_kind(to, narrow ? 'f' : 'd');
    if (narrow) {
        put(to, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    } else {
        put(to, std::bit_cast<std::uint64_t>(value));
    }
    return true;
}

std::unexpected<error> not_finite(std::string_view name, std::string what) {
    return refused(name, std::move(what),
                   "Leave it out, or send it as text: every server ends the connection for it.");
}

/// False when the bytes are not what their type says.
bool put_bytes(byte_buffer& to, wire_type type, std::span<const std::byte> value) {
    switch (type) {
        case wire_type::decimal:
            if (value.size() != 5) return false;
            put_kind(to, 'D');
            to.append(value.data(), value.size());
            return true;
        case wire_type::table:
        case wire_type::array: {
            const bool array = type == wire_type::array;
            if (!is_well_formed(value, array)) return false;
            put_long(to, array ? 'A' : 'F', value);
            return true;
        }
        case wire_type::long_string:
            put_long(to, 'S', value);
            return true;
        default:
            put_long(to, 'x', value);
            return true;
    }
}

std::expected<void, error> put_value(byte_buffer& to, const header& entry) {
    const auto type = wire_type_of(entry.value);
    bool fits = true;
    switch (entry.value.kind()) {
        case header_kind::null:
            put_kind(to, 'V');
            break;
        case header_kind::boolean:
            put_kind(to, 't');
            put(to, static_cast<std::uint8_t>(*entry.value.boolean() ? 1 : 0));
            break;
        case header_kind::integer:
            fits = put_integer(to, type, *entry.value.integer());
            break;
        case header_kind::unsigned_integer:
            fits = put_natural(to, type, *entry.value.unsigned_integer());
            break;
        case header_kind::floating:
            if (!put_floating(to, type, *entry.value.floating())) {
                return not_finite(entry.name, "The number is infinite, or none at all (NaN)");
            }
            break;
        case header_kind::text:
            put_long(to, 'S', *entry.value.bytes());
            break;
        case header_kind::bytes:
            if (!put_bytes(to, type, *entry.value.bytes())) {
                return refused(entry.name, "The bytes are not a value of the type that they have",
                               "Take the value as it was received, or append plain bytes.");
            }
            if (const bool array = type == wire_type::array;
                (array || type == wire_type::table) && !is_finite(*entry.value.bytes(), array)) {
                return not_finite(entry.name, "A number in it is infinite, or none at all (NaN)");
            }
            break;
    }
    if (fits) return {};
    return refused(entry.name, "The number is outside what its type holds on the wire",
                   "The largest is 9,223,372,036,854,775,807; send a larger one as text.");
}

std::expected<void, error> put_property(byte_buffer& to, property_form form, std::string_view name,
                                        const header_value& value) {
    if (form == property_form::text) {
        const auto bytes = value.bytes();
        if (!bytes) return refused(name, "The property is not text", "Set it to a text.");
        if (bytes->size() > 255) {
            return refused(name, "The property is longer than 255 bytes",
                           "Send it as a header of its own.");
        }
        put(to, static_cast<std::uint8_t>(bytes->size()));
        to.append(bytes->data(), bytes->size());
        return {};
    }
    const auto number = value.unsigned_integer();
    if (form == property_form::timestamp) {
        if (!number) return refused(name, "The property is no whole number", "Set it to seconds.");
        put(to, *number);
        return {};
    }
    if (!number || *number > 255) {
        return refused(name, "The property is no whole number from 0 to 255",
                       "Set it to such a number.");
    }
    put(to, static_cast<std::uint8_t>(*number));
    return {};
}

std::size_t place_of(std::string_view name) noexcept {
    for (std::size_t place = 0; place < property_places.size(); ++place) {
        if (property_places[place].name == name) return place;
    }
    return property_places.size();
}

}  // namespace

std::expected<void, error> write_table(std::span<const std::byte> packed, byte_buffer& to) {
    const auto length_at = to.size();
    put(to, std::uint32_t{0});
    for (const auto entry : headers::borrow(packed)) {
        if (entry.is_property()) continue;
        if (entry.name.size() > 255) {
            return refused(entry.name, "The name is longer than 255 bytes",
                           "Give the header a shorter name.");
        }
        put_short(to, entry.name);
        if (auto done = put_value(to, entry); !done) return done;
    }
    const auto length = to.size() - length_at - sizeof(std::uint32_t);
    to_network(to.data() + length_at, static_cast<std::uint32_t>(length));
    return {};
}

std::expected<void, error> write_properties(std::span<const std::byte> packed, byte_buffer& to) {
    std::array<std::optional<header_value>, property_places.size()> found;
    unsigned flags = 0;
    for (const auto entry : headers::borrow(packed)) {
        const auto place = entry.is_property() ? place_of(entry.name) : table_place;
        if (place == property_places.size()) {
            return refused(entry.name, "The protocol has no property of that name",
                           "Take the ':' away to send it as a header.");
        }
        const auto bit = 1U << (15U - place);
        // As in `headers::find`, the first of a name counts.
        if ((flags & bit) == 0 && place != table_place) found[place] = entry.value;
        flags |= bit;
    }
    put(to, static_cast<std::uint16_t>(flags));
    if (flags == 0) return {};
    for (std::size_t place = 0; place < property_places.size(); ++place) {
        if ((flags >> (15U - place) & 1U) == 0) continue;
        const auto [name, form] = property_places[place];
        auto done = place == table_place ? write_table(packed, to)
                                         : put_property(to, form, name, *found[place]);
        if (!done) return done;
    }
    return {};
}

}  // namespace waybill::rabbitmq
