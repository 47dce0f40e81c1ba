/// The properties and field types of AMQP 0-9-1 in a message's headers.
///
/// Guarantee: what a server sent is sent again type for type, byte for byte. A property stands
/// among the headers as an entry whose name begins with ':'; a handler takes one as
/// `field<rabbitmq::message_id>`, and a publisher sets one by `headers().set(property::priority,
/// 5)`.
#pragma once

#include <waybill/delivery.hpp>
#include <waybill/export.h>
#include <waybill/headers.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace waybill::rabbitmq {

/// The protocol's own type of a header's value (section 4.2.5.5, with the types that RabbitMQ
/// sends), as `header_value::wire_type` holds it: the letter on the wire, and the kind that a
/// reader sees.
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
    u64,          ///< L, unsigned
};

/// Which of these a value has.
[[nodiscard]] constexpr wire_type wire_type_of(const header_value& value) noexcept {
    return static_cast<wire_type>(value.wire_type());
}
/// The same value, to be sent as that type.
[[nodiscard]] constexpr header_value as(wire_type type, header_value value) noexcept {
    return value.as_wire_type(static_cast<std::uint8_t>(type));
}

/// The names of the properties of a message. The protocol holds no others.
namespace property {
/// What the payload is: a MIME type.
inline constexpr std::string_view content_type = ":content_type";
/// How the payload is packed: gzip.
inline constexpr std::string_view content_encoding = ":content_encoding";
inline constexpr std::string_view delivery_mode = ":delivery_mode";  ///< unsigned; 2: persistent
inline constexpr std::string_view priority = ":priority";            ///< unsigned, 0 to 255
/// The request that this answers.
inline constexpr std::string_view correlation_id = ":correlation_id";
/// Where an answer goes.
inline constexpr std::string_view reply_to = ":reply_to";
inline constexpr std::string_view expiration = ":expiration";  ///< text: decimal milliseconds
/// What its publisher calls it.
inline constexpr std::string_view message_id = ":message_id";
inline constexpr std::string_view timestamp = ":timestamp";  ///< unsigned: seconds of the epoch
/// What kind of message it is.
inline constexpr std::string_view type = ":type";
/// The user who published it, checked by the server.
inline constexpr std::string_view user_id = ":user_id";
/// The service that published it.
inline constexpr std::string_view app_id = ":app_id";
/// Not used by the protocol any more.
inline constexpr std::string_view cluster_id = ":cluster_id";
}  // namespace property

/// What a handler takes as `field<rabbitmq::message_id>`: a property's text, or nothing where the
/// message has none. It views the delivery.
template <const std::string_view& Name>
struct text_property {
    /// Nothing: the message has none.
    using type = std::optional<std::string_view>;
    /// For the runtime.
    [[nodiscard]] static type get(const delivery& from) { return from.headers().text(Name); }
};
/// What the payload is: a MIME type.
using content_type = text_property<property::content_type>;
/// How the payload is packed: gzip.
using content_encoding = text_property<property::content_encoding>;
/// The request that this answers.
using correlation_id = text_property<property::correlation_id>;
/// Where an answer goes.
using reply_to = text_property<property::reply_to>;
/// What its publisher calls it.
using message_id = text_property<property::message_id>;
/// What kind of message it is.
using message_type = text_property<property::type>;
/// The user who published it, checked by the server.
using user_id = text_property<property::user_id>;
/// The service that published it.
using app_id = text_property<property::app_id>;

/// The message's priority; 0 where it has none.
struct priority {
    /// 0 to 255.
    using type = std::uint8_t;
    /// For the runtime.
    [[nodiscard]] static type get(const delivery& from) {
        const auto found = from.headers().find(property::priority);
        return static_cast<type>(found ? found->unsigned_integer().value_or(0) : 0);
    }
};

/// When the message was sent, as its publisher says.
struct sent_at {
    /// Nothing: the message does not say.
    using type = std::optional<std::chrono::sys_seconds>;
    /// For the runtime.
    [[nodiscard]] static type get(const delivery& from) {
        const auto found = from.headers().find(property::timestamp);
        const auto seconds = found ? found->integer() : std::nullopt;
        if (!seconds) return std::nullopt;
        return std::chrono::sys_seconds{std::chrono::seconds{*seconds}};
    }
};

}  // namespace waybill::rabbitmq
