/// What the compiler says of mistakes that several functions can be given. Each is a class that is
/// instantiated with the type in question, so that the compiler names it beside the sentence.
#pragma once

#include <waybill/fields.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace waybill::detail {

/// Bytes, in whatever holds them: a payload as it is, whatever the codec.
template <class T>
concept raw_bytes = reflectable<T> &&
                    (kind_of<T>() == value_kind::bytes || kind_of<T>() == value_kind::fixed_bytes ||
                     kind_of<T>() == value_kind::borrowed_bytes);

/// What is encoded when it is published.
template <class T>
concept encodable = reflectable<T> && !raw_bytes<T>;

/// Publishing what is no message.
template <class Type>
struct no_message {
    static_assert(reflectable<Type>,
                  "waybill: this is no message: publish a plain struct declared outside of "
                  "functions, without constructors, base classes and private members; a payload "
                  "as it is goes as std::span<const std::byte>, in tests by publish_raw");
};

template <class T>
concept neither_message_nor_payload =
    !reflectable<T> && !std::convertible_to<const T&, std::span<const std::byte>>;

template <class T>
concept has_static_address = requires { T::address; } && requires {
    requires !std::is_member_object_pointer_v<decltype(&T::address)>;
};

/// The address that a message type names, or "": a member that is called so is a field like any.
template <class T>
std::string_view own_address_of() {
    if constexpr (has_static_address<T>) {
        static_assert(
            requires { std::string_view{T::address}; },
            "waybill: the address that a message type names is text: static constexpr "
            "std::string_view address = \"...\"");
        return T::address;
    } else {
        return {};
    }
}

/// Encoding what is published as it is.
template <class Type>
struct encoded_bytes {
    static_assert(!raw_bytes<Type>,
                  "waybill: bytes are a payload as they are, and no codec touches them: "
                  "waybill::outgoing{address, bytes} is the message");
};

/// What may be published to the address that its type names.
template <class T>
concept message_alone = encodable<T> && (has_static_address<T> || std::is_aggregate_v<T>);

/// Publishing without an address.
template <class Type>
struct no_address {
    static_assert(has_static_address<Type>,
                  "waybill: this type names no address: say where it goes, as in "
                  "publish(address, value), or give the type a static constexpr std::string_view "
                  "address");
};

}  // namespace waybill::detail
