/// How many members an aggregate has, and why it may not be reflected.
#pragma once

#include <waybill/detail/container_hooks.hpp>
#include <waybill/detail/member_pointers.hpp>
#include <waybill/detail/type_text.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace waybill::detail {

/// Turns into whatever a member needs. Never defined: it only appears unevaluated.
template <std::size_t>
struct anything {
    template <class T>
    operator T() const noexcept;
};

/// Turns into whatever can be copied. A std::vector of anything else, made of two of these, would
/// be an error inside of the standard library.
struct anything_copied {
    template <class T>
        requires(std::is_copy_constructible_v<T>)
    operator T() const noexcept;
};

/// Turns into a base class of `T` and nothing else.
template <class T>
struct any_base {
    template <class Base>
        requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
    operator Base() const noexcept;
};

template <class T, std::size_t... Index>
consteval bool takes(std::index_sequence<Index...>) {
    return requires { T{anything<Index>{}...}; };
}

template <class T, std::size_t Count>
concept has_member_count = takes<T>(std::make_index_sequence<Count>{});

/// The number of members, or more than `max_fields` when there are more.
template <class T, std::size_t Known = 0>
consteval std::size_t member_count() {
    if constexpr (Known <= max_fields && has_member_count<T, Known + 1>)
        return member_count<T, Known + 1>();
    else
        return Known;
}

/// Counting stops at the first member when a later one has no default; some count fits all the
/// same, but none does with a reference.
template <class T, std::size_t... Index>
consteval bool has_some_count(std::index_sequence<Index...>) {
    return (has_member_count<T, Index + 1> || ...);
}

template <class T, std::size_t... Before, std::size_t... After>
consteval bool braces_end_at(std::index_sequence<Before...>, std::index_sequence<After...>) {
    return requires {
        T{anything<Before>{}..., {anything_copied{}, anything_copied{}}};
    } && !requires {
        T{anything<Before>{}..., {anything_copied{}, anything_copied{}}, anything<After>{}...};
    };
}

/// Without braces every element of a C array counts as a member; with braces the array is one, and
/// then there are too many values behind it.
template <class T, std::size_t... Index>
consteval bool has_array_member(std::index_sequence<Index...>) {
    return (braces_end_at<T>(std::make_index_sequence<Index>{},
                             std::make_index_sequence<sizeof...(Index) - Index - 1>{}) ||
            ...);
}

template <class T>
concept has_base = requires { T{any_base<T>{}}; };

/// Of a type without linkage, g++ gives no address of a member; nor does clang in an unnamed
/// namespace.
template <class T>
consteval bool is_local() {
    return pretty_type<T>().find(")::") != std::string_view::npos;
}

enum class shape_fault {
    none,
    not_aggregate,
    local,
    base,
    array,
    reference,
    too_many,
    no_default,
    fixed,
    bit_field,
    volatile_member
};

/// A std::vector says so of itself whatever its elements are.
template <class T>
consteval bool is_copied() {
    if constexpr (vector_traits<T>::is)
        return is_copied<typename vector_traits<T>::element>();
    else if constexpr (optional_traits<T>::is)
        return is_copied<typename optional_traits<T>::element>();
    else if constexpr (map_traits<T>::is)
        return is_copied<typename map_traits<T>::element>();
    else
        return std::is_copy_assignable_v<T>;
}

template <class... Members>
consteval bool are_copied(const std::tuple<Members*...>*) {
    return (is_copied<Members>() && ...);
}

template <class... Members>
consteval bool has_volatile(const std::tuple<Members*...>*) {
    return (std::is_volatile_v<Members> || ...);
}

/// What only the members themselves tell.
template <class T, std::size_t Count>
consteval shape_fault find_member_fault() {
    using members = decltype(member_pointers<Count>(std::declval<T&>()));
    if constexpr (std::is_void_v<members>)
        return shape_fault::bit_field;
    else if constexpr (has_volatile(static_cast<const members*>(nullptr)))
        return shape_fault::volatile_member;
    else if constexpr (!are_copied(static_cast<const members*>(nullptr)))
        return shape_fault::fixed;
    else
        return shape_fault::none;
}

template <class T>
consteval shape_fault find_shape_fault() {
    if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T>) {
        return shape_fault::not_aggregate;
    } else if constexpr (std::is_empty_v<T>) {
        return shape_fault::none;
    } else if constexpr (is_local<T>()) {
        return shape_fault::local;
    } else if constexpr (has_base<T>) {
        return shape_fault::base;
    } else {
        constexpr std::size_t count = member_count<T>();
        if constexpr (count == 0 && !has_some_count<T>(std::make_index_sequence<max_fields>{}))
            return shape_fault::reference;
        else if constexpr (!requires { T{}; })
            return shape_fault::no_default;
        else if constexpr (count > max_fields)
            return shape_fault::too_many;
        else if constexpr (!std::is_copy_assignable_v<T>)
            return shape_fault::fixed;
        else if constexpr (has_array_member<T>(std::make_index_sequence<count>{}))
            return shape_fault::array;
        else
            return find_member_fault<T, count>();
    }
}

/// Instantiated for every aggregate that is reflected, so that the compiler names `Type` above the
/// sentence it prints.
template <class Type>
struct reflected_type {
    static constexpr shape_fault fault = find_shape_fault<Type>();
    static_assert(fault != shape_fault::not_aggregate,
                  "waybill: this type cannot be read or written: a message is a plain struct "
                  "without constructors, private members or virtual functions, made of numbers, "
                  "bool, std::string, enums, std::optional, std::vector and the like of itself; "
                  "write it so, specialise waybill::scalar for it, take the payload as "
                  "std::span<const std::byte>, or set is_opaque in waybill::message_traits for a "
                  "codec of your own");
    static_assert(fault != shape_fault::local,
                  "waybill: a message must be declared outside of functions, at namespace scope "
                  "(for clang, a named one)");
    static_assert(fault != shape_fault::base,
                  "waybill: a message cannot have a base class: make the base a member");
    static_assert(fault != shape_fault::array,
                  "waybill: a message cannot have a C array as a member: use std::vector");
    static_assert(fault != shape_fault::reference,
                  "waybill: a message cannot have a reference as a member: hold a value");
    static_assert(fault != shape_fault::too_many,
                  "waybill: a message has at most 32 members, and no C array: group some of them "
                  "in a nested struct");
    static_assert(fault != shape_fault::no_default,
                  "waybill: a message must be made by T{}: give every member a default");
    static_assert(
        fault != shape_fault::fixed,
        "waybill: a message must be copyable and assignable, as the next one is read into "
        "the same object: no const members, no std::unique_ptr");
    static_assert(fault != shape_fault::bit_field,
                  "waybill: a message cannot have a bit-field as a member: use bool or "
                  "std::uint8_t");
    static_assert(fault != shape_fault::volatile_member,
                  "waybill: a message cannot have a volatile member");
    static constexpr std::size_t count = fault == shape_fault::none ? member_count<Type>() : 0;
};

}  // namespace waybill::detail
