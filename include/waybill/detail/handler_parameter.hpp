/// What each parameter of a handler asks for, and why some can be given nothing.
#pragma once

#include <waybill/context.hpp>
#include <waybill/fields.hpp>
#include <waybill/out.hpp>
#include <waybill/settlement.hpp>
#include <waybill/state.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <type_traits>

namespace waybill::detail {

template <class T>
inline constexpr bool is_state = false;
template <class T>
inline constexpr bool is_state<state<T>> = true;
template <class T>
inline constexpr bool is_out = false;
template <class... T>
inline constexpr bool is_out<out<T...>> = true;
template <class T>
inline constexpr bool is_field = false;
template <class Key>
inline constexpr bool is_field<field<Key>> = true;
template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t Size>
inline constexpr bool is_span<std::span<T, Size>> = true;
template <class T>
inline constexpr bool is_expected = false;
template <class T>
inline constexpr bool is_expected<std::expected<T, error>> = true;

template <class T>
concept complete = requires { sizeof(T); };
template <class T>
concept has_extractor = requires(context& about) { extractor<T>::extract(about); };

enum class argument_kind : std::uint8_t {
    context,
    delivery,
    headers,
    attempt,
    raw,
    state,
    out,
    settlement,
    field,
    extracted,
    message,
    none,
};

/// What a parameter of that type asks for, however it is passed.
template <class Plain>
consteval argument_kind kind_of_plain() {
    if constexpr (std::is_same_v<Plain, context>) {
        return argument_kind::context;
    } else if constexpr (std::is_same_v<Plain, settlement>) {
        return argument_kind::settlement;
    } else if constexpr (is_out<Plain>) {
        return argument_kind::out;
    } else if constexpr (std::is_same_v<Plain, delivery>) {
        return argument_kind::delivery;
    } else if constexpr (std::is_same_v<Plain, headers>) {
        return argument_kind::headers;
    } else if constexpr (std::is_same_v<Plain, attempt>) {
        return argument_kind::attempt;
    } else if constexpr (std::is_same_v<Plain, std::span<const std::byte>>) {
        return argument_kind::raw;
    } else if constexpr (is_state<Plain>) {
        return argument_kind::state;
    } else if constexpr (is_field<Plain>) {
        return argument_kind::field;
    } else if constexpr (!complete<Plain>) {
        return argument_kind::none;
    } else if constexpr (has_extractor<Plain>) {
        return argument_kind::extracted;
    } else {
        return reflectable<Plain> ? argument_kind::message : argument_kind::none;
    }
}

/// Whether a parameter of that type can be passed so: by value, by const reference, by reference.
template <class Argument>
consteval bool is_passed_well(argument_kind kind) {
    constexpr bool changes =
        std::is_lvalue_reference_v<Argument> && !std::is_const_v<std::remove_reference_t<Argument>>;
    constexpr bool moves = std::is_rvalue_reference_v<Argument>;
    if (kind == argument_kind::context) return std::is_lvalue_reference_v<Argument>;
    if (kind == argument_kind::settlement) return !std::is_reference_v<Argument>;
    if (kind == argument_kind::out) return !changes;
    return !changes && !moves;
}

/// `none` where the parameter can be given nothing; handler_parameter says why.
template <class Argument>
consteval argument_kind kind_of_argument() {
    constexpr argument_kind asked = kind_of_plain<std::remove_cvref_t<Argument>>();
    return is_passed_well<Argument>(asked) ? asked : argument_kind::none;
}

/// One parameter of a handler. Stands in the compiler's text with its position and its type; of a
/// parameter that can be given nothing it says why.
template <std::size_t Position, class Type>
struct handler_parameter {
    using plain = std::remove_cvref_t<Type>;
    static constexpr argument_kind asks_for = kind_of_plain<plain>();
    static constexpr bool ok = kind_of_argument<Type>() != argument_kind::none;

    static consteval bool is_misshapen() {
        if constexpr (asks_for != argument_kind::none || !complete<plain>)
            return false;
        else
            return std::is_aggregate_v<plain> && kind_of<plain>() == value_kind::aggregate;
    }
    static consteval bool extracts_wrongly() {
        return asks_for == argument_kind::none && complete<extractor<plain>>;
    }
    static constexpr bool is_incomplete = asks_for == argument_kind::none && !complete<plain>;
    static constexpr bool is_pointer = std::is_pointer_v<plain>;
    static constexpr bool is_batch = is_span<plain> && asks_for != argument_kind::raw &&
                                     !std::is_same_v<plain, std::span<std::byte>>;
    static constexpr bool has_a_sentence = asks_for != argument_kind::none || is_misshapen() ||
                                           extracts_wrongly() || is_incomplete || is_pointer ||
                                           is_batch;

    static_assert(asks_for != argument_kind::context || ok,
                  "waybill: a handler takes the context by reference: context&");
    static_assert(asks_for != argument_kind::settlement || ok,
                  "waybill: a handler takes a settlement by value: it is the handler's to keep "
                  "and to use up");
    static_assert(asks_for != argument_kind::message || ok,
                  "waybill: a message is lent to its handler: take it as const T&, or by value "
                  "for a copy");
    static_assert(asks_for == argument_kind::none || asks_for == argument_kind::context ||
                      asks_for == argument_kind::settlement || asks_for == argument_kind::message ||
                      ok,
                  "waybill: the handler cannot change what stands in this parameter: take it by "
                  "value or as const T&");
    static_assert(!is_pointer,
                  "waybill: a handler parameter is no pointer, as there is always something to "
                  "lend: take a message as const T&, and the payload as it is as "
                  "std::span<const std::byte>");
    static_assert(!is_batch,
                  "waybill: a handler takes one message at a time, as const T&; the only span is "
                  "the payload as it is, std::span<const std::byte>");
    static_assert(!is_incomplete,
                  "waybill: the type of this handler parameter is only declared here: include "
                  "the header that defines it");
    static_assert(!extracts_wrongly() || ok,
                  "waybill: this extractor cannot be called: give waybill::extractor<T> a "
                  "public static T extract(waybill::context&)");
    static_assert(
        has_a_sentence,
        "waybill: nothing can provide this handler parameter. Take a message as const T& "
        "(a plain aggregate, declared outside of functions, without constructors, base "
        "classes and private members), the raw payload as std::span<const std::byte>, context&, "
        "const delivery&, const headers&, attempt, state<T>, out<T...>, field<Key>, a "
        "settlement by value, or specialise waybill::extractor for your type");

private:
    // The type that is nearly a message says itself what is wrong with it.
    using shape = std::conditional_t<is_misshapen(), reflected_type<plain>, std::false_type>;
    static_assert(sizeof(shape) != 0);
};

}  // namespace waybill::detail
