/// Applies what `message_traits<T>::fields` says to the members of `T`, at compile time.
#pragma once

#include <waybill/detail/aggregate_shape.hpp>
#include <waybill/detail/type_text.hpp>
#include <waybill/message_traits.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace waybill::detail {

template <class T>
concept has_rules = requires { message_traits<T>::fields; };

template <class T>
consteval auto rules_of() {
    if constexpr (has_rules<T>)
        return message_traits<T>::fields;
    else
        return std::tuple<>{};
}

template <class T>
inline constexpr auto rules = rules_of<T>();

template <class T, class Rules>
inline constexpr bool are_rules_about = false;
template <class T, class... Members, class... Values>
inline constexpr bool are_rules_about<T, std::tuple<field_rule<T, Members, Values>...>> = true;

/// What the rules say about one member.
struct member_rule {
    std::string_view name;
    bool is_left_out = false;
    bool may_be_absent = false;
};

template <class T, std::size_t Index, class Rule>
constexpr void apply_rule(member_rule& all, const Rule& rule) {
    constexpr const auto* member = phantom_member<T, reflected_type<T>::count, Index>();
    using about = std::remove_reference_t<decltype(phantom<T>.*rule.member)>;
    if constexpr (std::is_same_v<decltype(member), about* const>) {
        if (&(phantom<T>.*rule.member) != member) return;
        if (!rule.name.empty()) all.name = rule.name;
        all.is_left_out |= rule.is_left_out;
        all.may_be_absent |= rule.may_be_absent;
    }
}

template <class T, std::size_t Index>
consteval member_rule rule_of() {
    member_rule all{pretty_member<phantom_member<T, reflected_type<T>::count, Index>()>()};
    if constexpr (has_rules<T>)
        std::apply([&](const auto&... each) { (apply_rule<T, Index>(all, each), ...); }, rules<T>);
    return all;
}

/// The bytes of the UTF-8 character at the front of `text`, or 0; RFC 3629.
constexpr std::size_t utf8_size(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t code = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool is_lead = lead >= 0xc2 && lead < 0xf5;
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return is_lead && code >= least[size] && code <= 0x10ffff && !is_surrogate ? size : 0;
}

constexpr bool is_constant_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

/// Keys are copied into JSON as they are.
constexpr bool is_plain_name(std::string_view name) {
    return is_constant_utf8(name) && std::none_of(name.begin(), name.end(), [](char letter) {
               const auto code = static_cast<unsigned char>(letter);
               return code < 0x20 || code == 0x7f || letter == '"' || letter == '\\';
           });
}

/// How `T` stands on the wire: the order of its members in the table, those that are left out last.
template <class T, class Indices = std::make_index_sequence<reflected_type<T>::count>>
struct field_layout;

template <class T, std::size_t... Index>
struct field_layout<T, std::index_sequence<Index...>> {
    static constexpr std::size_t count = sizeof...(Index);
    static constexpr std::array<member_rule, count> rules{rule_of<T, Index>()...};
    static constexpr auto on_wire =
        static_cast<std::size_t>(std::ranges::count(rules, false, &member_rule::is_left_out));

    /// Where member `member` stands in the table.
    static consteval std::size_t place(std::size_t member) {
        const bool left_out = rules[member].is_left_out;
        std::size_t at = left_out ? on_wire : 0;
        for (std::size_t i = 0; i < member; ++i) at += rules[i].is_left_out == left_out ? 1 : 0;
        return at;
    }

    static consteval bool names_differ() {
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (!rules[i].is_left_out && !rules[j].is_left_out &&
                    rules[i].name == rules[j].name)
                    return false;
        return true;
    }
    static consteval bool names_are_plain() {
        return std::ranges::all_of(rules,
                                   [](const member_rule& one) { return is_plain_name(one.name); });
    }
};

/// Instantiated for every aggregate that is described, so that the compiler names `Type`.
template <class Type>
struct ruled_type {
    static constexpr bool are_about_it =
        are_rules_about<Type, std::remove_const_t<decltype(rules<Type>)>>;
    static_assert(are_about_it,
                  "waybill: message_traits<T>::fields is a std::tuple of renamed, defaulted and "
                  "left_out with members of T itself");
    static_assert(!are_about_it || field_layout<Type>::names_differ(),
                  "waybill: two fields have the same name on the wire: rename one of them");
    static_assert(!are_about_it || field_layout<Type>::names_are_plain(),
                  "waybill: a field's name on the wire is UTF-8 without quotes, backslashes and "
                  "control characters");
};

/// The name of a field as `"name"`, with 16 readable bytes behind it.
///
/// The phantom's address goes no further than template arguments: a variable of it, or one named
/// after it, would refer in an unoptimised build to an object that nobody defines.
template <class T, std::size_t Index>
struct wire_key {
    static constexpr std::size_t name_size = rule_of<T, Index>().name.size();
    static constexpr auto text = join_text<name_size + 2>({"\"", rule_of<T, Index>().name, "\""});
};

}  // namespace waybill::detail
