/// How the protocol's field values and properties stand in packed headers (AMQP 0-9-1, section
/// 4.2.5.5, with the types that RabbitMQ sends).
///
/// Guarantee: what a server sent is sent again type for type, byte for byte. A property is an entry
/// whose name begins with ':'; a table's own entry of such a name is an ordinary header.
#pragma once

#include <waybill/headers.hpp>

#include <cstdint>

namespace waybill::rabbitmq {

/// `header_value::wire_type`. Beside it stands the kind that a reader sees.
enum class wire_type : std::uint8_t {
    usual,        ///< null V, boolean t, integer l, unsigned l, floating d, text S, bytes x
    i8,           ///< b, integer
    u8,           ///< B, unsigned
    i16,          ///< s, integer
    u16,          ///< u, unsigned
    i32,          ///< I, integer
    u32,          ///< i, unsigned
    f32,          ///< f, floating
    timestamp,    ///< T, unsigned: seconds of the Unix epoch
    decimal,      ///< D, bytes: the scale, then four bytes of digits, most significant first
    table,        ///< F, bytes: the entries as they are on the wire, without the length before them
    array,        ///< A, bytes: the same
    long_string,  ///< S, bytes: not valid UTF-8
};

[[nodiscard]] constexpr wire_type wire_type_of(const header_value& value) noexcept {
    return static_cast<wire_type>(value.wire_type());
}
[[nodiscard]] constexpr header_value as(wire_type type, header_value value) noexcept {
    return value.as_wire_type(static_cast<std::uint8_t>(type));
}

/// The properties of a message, as they stand among its headers.
namespace property {
inline constexpr std::string_view content_type = ":content_type";
inline constexpr std::string_view content_encoding = ":content_encoding";
inline constexpr std::string_view delivery_mode = ":delivery_mode";  ///< unsigned; 2: persistent
inline constexpr std::string_view priority = ":priority";            ///< unsigned
inline constexpr std::string_view correlation_id = ":correlation_id";
inline constexpr std::string_view reply_to = ":reply_to";
inline constexpr std::string_view expiration = ":expiration";  ///< text: decimal milliseconds
inline constexpr std::string_view message_id = ":message_id";
inline constexpr std::string_view timestamp = ":timestamp";  ///< unsigned: seconds of the epoch
inline constexpr std::string_view type = ":type";
inline constexpr std::string_view user_id = ":user_id";
inline constexpr std::string_view app_id = ":app_id";
inline constexpr std::string_view cluster_id = ":cluster_id";
}  // namespace property

}  // namespace waybill::rabbitmq
