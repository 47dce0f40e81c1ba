/// Which kind of value a C++ type is, and why some are none.
#pragma once

#include <waybill/detail/aggregate_shape.hpp>
#include <waybill/detail/container_hooks.hpp>
#include <waybill/detail/enumerators.hpp>
#include <waybill/detail/scalar_hooks.hpp>
#include <waybill/message_traits.hpp>
#include <waybill/value_type.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace waybill::detail {

template <class T>
concept character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <class T>
concept opaque_message = requires { requires message_traits<T>::is_opaque; };

template <class T>
consteval value_kind kind_of_number() {
    if constexpr (std::is_same_v<T, bool>)
        return value_kind::boolean;
    else if constexpr (character<T> || std::is_same_v<T, std::byte>)
        return value_kind::none;
    else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
        return std::is_signed_v<T> ? value_kind::signed_integer : value_kind::unsigned_integer;
    else if constexpr (std::is_same_v<T, float>)
        return value_kind::float32;
    else if constexpr (std::is_same_v<T, double>)
        return value_kind::float64;
    else
        return nameable_enum<T> ? value_kind::enumeration : value_kind::none;
}

template <class T>
struct is_byte_array : std::false_type {};
template <std::size_t Size>
struct is_byte_array<std::array<std::byte, Size>> : std::true_type {};

template <class T>
consteval value_kind kind_of_text() {
    if constexpr (std::is_same_v<T, std::string>)
        return value_kind::string;
    else if constexpr (std::is_same_v<T, std::string_view>)
        return value_kind::borrowed_string;
    else if constexpr (std::is_same_v<T, std::vector<std::byte>>)
        return value_kind::bytes;
    else if constexpr (std::is_same_v<T, std::span<const std::byte>>)
        return value_kind::borrowed_bytes;
    else
        return is_byte_array<T>::value ? value_kind::fixed_bytes : value_kind::none;
}

template <class T>
consteval value_kind kind_of_container() {
    if constexpr (std::is_same_v<T, std::vector<bool>>)
        return value_kind::bits;
    else if constexpr (optional_traits<T>::is)
        return value_kind::optional;
    else if constexpr (vector_traits<T>::is)
        return value_kind::sequence;
    else if constexpr (array_traits<T>::is)
        return value_kind::array;
    else if constexpr (map_traits<T>::is)
        return value_kind::map;
    else
        return variant_traits<T>::is ? value_kind::variant : value_kind::none;
}

template <class T>
consteval value_kind kind_of() {
    constexpr value_kind text = kind_of_text<T>();
    constexpr value_kind container = kind_of_container<T>();
    if constexpr (has_scalar<T> || duration_traits<T>::is || time_traits<T>::is)
        return value_kind::scalar;
    else if constexpr (opaque_message<T>)
        return value_kind::opaque;
    else if constexpr (text != value_kind::none)
        return text;
    else if constexpr (container != value_kind::none)
        return container;
    else if constexpr (time_traits<T>::has_other_clock || has_other_keys<T>)
        return value_kind::none;
    else
        return std::is_class_v<T> ? value_kind::aggregate : kind_of_number<T>();
}

/// Values that a `scalar` may stand as.
constexpr bool is_plain(value_kind kind) {
    using enum value_kind;
    for (const value_kind one : {boolean, signed_integer, unsigned_integer, float32, float64,
                                 string, bytes, borrowed_string, borrowed_bytes, fixed_bytes})
        if (kind == one) return true;
    return false;
}

template <class T>
consteval std::size_t names_of_enum() {
    if constexpr (kind_of<T>() == value_kind::enumeration)
        return enumerators<T>.count;
    else
        return 0;
}

/// Instantiated for every type that is described, so that the compiler names `Type`.
template <class Type>
struct described_type {
    static constexpr auto kind = kind_of<Type>();
    static constexpr bool has_a_sentence =
        character<Type> || std::is_enum_v<Type> || std::is_const_v<Type> ||
        std::is_volatile_v<Type> || time_traits<Type>::has_other_clock || has_other_keys<Type>;
    static_assert(!std::is_const_v<Type>,
                  "waybill: a message cannot have a const member: the next message is read into "
                  "the same object");
    static_assert(!std::is_volatile_v<Type>, "waybill: a message is not volatile");
    static_assert(!character<Type> || kind != value_kind::none,
                  "waybill: a character type is neither text nor a number on the wire: use "
                  "std::string or std::int8_t / std::uint8_t");
    static_assert(!std::is_same_v<Type, std::byte>,
                  "waybill: a single std::byte has no wire form: use std::uint8_t, or "
                  "std::vector<std::byte> for bytes");
    static_assert(!std::is_enum_v<Type> || kind != value_kind::none ||
                      std::is_same_v<Type, std::byte>,
                  "waybill: an unscoped enum needs a fixed type (enum e : int) to be read by name");
    static_assert(kind != value_kind::enumeration || names_of_enum<Type>() != 0,
                  "waybill: no enumerator was found, so that no value has a name: specialise "
                  "waybill::enumerator_range for the values that there are, or waybill::scalar to "
                  "write a number");
    static_assert(!time_traits<Type>::has_other_clock,
                  "waybill: only time points of std::chrono::system_clock have a wire form: others "
                  "mean nothing in another process");
    static_assert(!has_other_keys<Type> || kind != value_kind::none,
                  "waybill: the keys of a map are std::string: use one, or a std::vector of a "
                  "struct with the key and the value");
    static_assert(kind != value_kind::none || has_a_sentence,
                  "waybill: this type cannot be read or written: use a number, bool, std::string, "
                  "enum, std::optional, std::vector, std::array, std::map<std::string, T>, "
                  "std::variant, std::chrono or a plain struct of these, or specialise "
                  "waybill::scalar for it");
};

/// The same for types inside of others.
template <class Outer, class Inner>
struct described_part {
    static_assert(kind_of<Outer>() != value_kind::optional ||
                      kind_of<Inner>() != value_kind::optional,
                  "waybill: an optional inside of an optional would be null on the wire either "
                  "way: use one, or a std::variant");
    static_assert(kind_of<Inner>() != value_kind::opaque,
                  "waybill: an opaque type is the whole message and cannot be a part of one: "
                  "specialise waybill::scalar for it");
};

template <class T>
struct described_scalar {
    using functions = typename scalar_of<T>::type;
    static constexpr bool reads_plain = is_plain(kind_of<typename functions::read_type>());
    static constexpr bool writes_plain = is_plain(kind_of<typename functions::written_type>());
    static_assert(reads_plain && writes_plain,
                  "waybill: a scalar stands on the wire as a number, bool, text or bytes: let "
                  "waybill::scalar<T>::to_wire return and from_wire take one of these");
    static_assert(sizeof(typename functions::written_type) <= scalar_hooks::place_size &&
                      sizeof(typename functions::read_type) <= scalar_hooks::place_size,
                  "waybill: a scalar's value on the wire has at most 64 bytes: take and return "
                  "std::span<const std::byte> or std::vector<std::byte> for more");
};

}  // namespace waybill::detail
