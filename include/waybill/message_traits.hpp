/// What is said beside a message type about how it stands on the wire.
///
///     template <>
///     struct waybill::message_traits<shop::order> {
///         static constexpr auto fields = std::tuple{
///             waybill::renamed(&shop::order::total, "total_cents"),
///             waybill::defaulted(&shop::order::currency, "GBP"),
///             waybill::left_out(&shop::order::cached),
///         };
///         static constexpr bool is_closed = true;
///     };
///
/// Guarantee: a name that JSON would have to escape, two fields of one name and a rule about
/// another type do not compile. Specialise it where the type is declared: every part of a program
/// must see the same.
#pragma once

#include <string_view>
#include <type_traits>

namespace waybill {

/// All of these may be missing:
///
/// - `fields`: a std::tuple of `renamed`, `defaulted` and `left_out`, several for one member if
///   need be.
/// - `is_closed`: a field that the type does not have is an error. Else it is skipped.
/// - `name`: what the type is called inside of a std::variant, a std::string_view. Else its name
///   in C++ without namespaces.
/// - `is_opaque`: the type is no aggregate, or shall not be taken apart: only a codec of your own
///   reads and writes it (own_codec.hpp). It is the whole message, never a member.
template <class T>
struct message_traits {};

namespace detail {

struct no_value {};

template <class Owner, class Member, class Value>
struct field_rule {
    Member Owner::* member;
    std::string_view name;
    bool is_left_out = false;
    bool may_be_absent = false;
    Value value{};
};

}  // namespace detail

/// The member is called `name` on the wire, in every codec.
template <class Owner, class Member>
consteval auto renamed(Member Owner::* member, std::string_view name) {
    if (name.empty()) throw "waybill: a field needs a name on the wire";
    return detail::field_rule<Owner, Member, detail::no_value>{.member = member, .name = name};
}

/// The member is not written, and not read: after a decode it is a copy of what it was in a `T{}`
/// that was made once, when the type was first used. It may be of any type that can be copied; the
/// copy is not counted when a payload asks for much memory.
template <class Owner, class Member>
consteval auto left_out(Member Owner::* member) {
    return detail::field_rule<Owner, Member, detail::no_value>{
        .member = member, .name = {}, .is_left_out = true};
}

/// The field may be absent; the member is then as in a `T{}` that was made once. It is always
/// written.
template <class Owner, class Member>
consteval auto defaulted(Member Owner::* member) {
    return detail::field_rule<Owner, Member, detail::no_value>{
        .member = member, .name = {}, .may_be_absent = true};
}

/// The field may be absent; the member is then `value`.
template <class Owner, class Member, class Value>
consteval auto defaulted(Member Owner::* member, Value value) {
    // std::string takes an int when it is assigned.
    static_assert(std::is_convertible_v<Value, Member> ||
                      (std::is_assignable_v<Member&, const Value&> && !std::is_arithmetic_v<Value>),
                  "waybill: this default is no value of the member's type");
    if constexpr (std::is_arithmetic_v<Member> && std::is_arithmetic_v<Value>)
        if (static_cast<Value>(static_cast<Member>(value)) != value)
            throw "waybill: this default does not fit the member";
    return detail::field_rule<Owner, Member, Value>{
        .member = member, .name = {}, .may_be_absent = true, .value = value};
}

}  // namespace waybill
