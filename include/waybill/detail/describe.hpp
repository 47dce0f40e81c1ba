/// Fills the tables of types.
///
/// They are filled in at run time, because the address of a member is not a constant; the storage
/// is there before, so that a type may refer to itself.
#pragma once

#include <waybill/detail/field_rules.hpp>
#include <waybill/detail/value_kinds.hpp>
#include <waybill/detail/value_names.hpp>
#include <waybill/export.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace waybill::detail {

/// What a value takes from the heap; nothing for members that are left out.
WAYBILL_API std::size_t heap_bytes(const value_type& type, const void* object);

template <class T>
inline constinit value_type description{};

template <class T>
inline constinit std::array<field_info, reflected_type<T>::count> field_storage{};

template <class T>
inline constinit std::array<alternative, variant_traits<T>::count> alternative_storage{};

template <class T>
inline constinit scalar_hooks scalar_storage{};

/// What describes a type makes a `T{}`, which may describe others.
inline std::recursive_mutex& description_lock() {
    static std::recursive_mutex lock;
    return lock;
}

template <class T>
const value_type& describe();

template <class Outer, class Inner>
const value_type& describe_part() {
    static_assert(sizeof(described_part<Outer, Inner>) != 0);
    return describe<Inner>();
}

// --- aggregates

inline void set_head(field_info& entry) noexcept {
    const std::size_t size = std::min<std::size_t>(entry.name_size + 1, 8);
    std::memcpy(&entry.head, entry.key_text + 1, size);
    std::memset(&entry.mask, 0xff, size);
}

template <class T>
void copy_assign(void* to, const void* from) {
    *static_cast<T*>(to) = *static_cast<const T*>(from);
}

/// All that is asked of a member that is left out, which may be of any type.
template <class T>
inline constexpr value_type copied = [] {
    value_type about;
    about.assign = copy_assign<T>;
    return about;
}();

template <class T, std::size_t Index>
void describe_field(value_type& owner, const T& pristine) {
    constexpr std::size_t count = reflected_type<T>::count;
    constexpr std::size_t place = field_layout<T>::place(Index);
    constexpr member_rule rule = field_layout<T>::rules[Index];
    using key = wire_key<T, Index>;
    const auto* member = std::get<Index>(member_pointers<count>(pristine));
    // The member's own type, const included: `member` points to const because `pristine` is.
    T* const mutable_object = nullptr;
    using member_type = std::remove_pointer_t<
        std::tuple_element_t<Index, decltype(member_pointers<count>(*mutable_object))>>;

    field_info& entry = field_storage<T>[place];
    entry.key_text = key::text.bytes.data();
    entry.name_size = static_cast<std::uint32_t>(key::name_size);
    entry.offset = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(member) -
                                              reinterpret_cast<const std::byte*>(&pristine));
    set_head(entry);
    if constexpr (rule.is_left_out) {
        entry.type = &copied<member_type>;
    } else {
        entry.type = &describe_part<T, member_type>();
        if constexpr (kind_of<member_type>() == value_kind::optional)
            entry.absent_is_empty = !member->has_value();
        else if constexpr (!rule.may_be_absent)
            owner.required |= std::uint32_t{1} << place;
        entry.default_bytes = heap_bytes(*entry.type, member);
    }
}

template <class T, class Member, class Value>
void set_default(T& pristine, const field_rule<T, Member, Value>& rule) {
    if constexpr (!std::is_same_v<Value, no_value>) pristine.*rule.member = rule.value;
}

template <class T, std::size_t... Index>
void describe_fields(value_type& about, std::index_sequence<Index...>) {
    auto* pristine = new T{};  // lives as long as the program
    std::apply([&](const auto&... rule) { (set_default(*pristine, rule), ...); }, rules<T>);
    about.pristine = pristine;
    (describe_field<T, Index>(about, *pristine), ...);
    about.fields = std::span{field_storage<T>}.first(field_layout<T>::on_wire);
    about.members = static_cast<std::uint32_t>((std::uint64_t{1} << sizeof...(Index)) - 1);
    if constexpr (requires { message_traits<T>::is_closed; })
        about.is_closed = message_traits<T>::is_closed;
}

template <class T>
void describe_aggregate(value_type& about) {
    if constexpr (ruled_type<T>::are_about_it)
        describe_fields<T>(about, std::make_index_sequence<reflected_type<T>::count>{});
}

// --- the other kinds

template <class T>
void describe_number(value_type& about) noexcept {
    if constexpr (std::is_integral_v<T>) {
        about.largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        about.smallest = std::is_signed_v<T> ? about.largest + 1 : 0;
    }
}

template <class Type, class... Alternatives>
struct named_alternatives {
    static consteval bool differ() {
        const std::array<std::string_view, sizeof...(Alternatives)> names{
            wire_type_name<Alternatives>()...};
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (names[i] == names[j]) return false;
        return true;
    }
    static_assert((is_plain_name(wire_type_name<Alternatives>()) && ...),
                  "waybill: a type's name on the wire is UTF-8 without quotes, backslashes and "
                  "control characters");
    static_assert(differ(),
                  "waybill: two alternatives of a std::variant have the same name on the wire: "
                  "give one a name in waybill::message_traits, or wrap it in a struct");
};

template <class... Types>
void describe_variant(value_type& about, const std::variant<Types...>*) {
    using variant = std::variant<Types...>;
    static_assert(sizeof(named_alternatives<variant, Types...>) != 0);
    auto* entry = alternative_storage<variant>.data();
    ((*entry++ = {wire_type_name<Types>(), &describe_part<variant, Types>()}), ...);
    about.variant = &variant_traits<variant>::hooks;
    about.alternatives = alternative_storage<variant>;
}

template <class T>
void describe_scalar(value_type& about) {
    if constexpr (described_scalar<T>::reads_plain && described_scalar<T>::writes_plain) {
        using functions = typename scalar_of<T>::type;
        scalar_storage<T> = {.read = &describe<typename functions::read_type>(),
                             .written = &describe<typename functions::written_type>(),
                             .from_wire = functions::from_wire,
                             .to_wire = functions::to_wire,
                             .is_time = functions::is_time};
        about.scalar = &scalar_storage<T>;
    }
}

template <class T>
void describe_life(value_type& about) noexcept {
    about.size = sizeof(T);
    about.align = alignof(T);
    about.name = type_text<T>::view;
    about.construct = [](void* place) { ::new (place) T{}; };
    about.destroy = [](void* object) noexcept { static_cast<T*>(object)->~T(); };
    if constexpr (std::is_copy_assignable_v<T>) about.assign = copy_assign<T>;
}

template <class T, value_kind Kind>
void describe_as(value_type& about) {
    about.kind = Kind;
    describe_life<T>(about);
    describe_number<T>(about);
    if constexpr (Kind == value_kind::enumeration) {
        about.enumerators = std::span{enumerators<T>.items}.first(enumerators<T>.count);
    } else if constexpr (Kind == value_kind::optional) {
        about.optional = &optional_traits<T>::hooks;
        about.element = &describe_part<T, typename optional_traits<T>::element>();
    } else if constexpr (Kind == value_kind::sequence) {
        about.sequence = &vector_traits<T>::hooks;
        about.element = &describe_part<T, typename vector_traits<T>::element>();
    } else if constexpr (Kind == value_kind::array) {
        about.length = static_cast<std::uint32_t>(array_traits<T>::length);
        about.element = &describe_part<T, typename array_traits<T>::element>();
    } else if constexpr (Kind == value_kind::fixed_bytes) {
        about.length = static_cast<std::uint32_t>(array_traits<T>::length);
    } else if constexpr (Kind == value_kind::map) {
        about.map = &map_traits<T>::hooks;
        about.element = &describe_part<T, typename map_traits<T>::element>();
    } else if constexpr (Kind == value_kind::variant) {
        describe_variant(about, static_cast<const T*>(nullptr));
    } else if constexpr (Kind == value_kind::scalar) {
        describe_scalar<T>(about);
    } else if constexpr (Kind == value_kind::aggregate) {
        describe_aggregate<T>(about);
    }
    if constexpr (Kind != value_kind::opaque) {
        const std::unique_ptr<const T> fresh{new T{}};  // may be larger than a stack
        about.default_bytes = heap_bytes(about, fresh.get());
    }
}

template <class T>
consteval bool can_reflect() {
    constexpr value_kind kind = kind_of<T>();
    if constexpr (std::is_const_v<T> || std::is_volatile_v<T>)
        return false;
    else if constexpr (kind == value_kind::aggregate)
        return find_shape_fault<T>() == shape_fault::none;
    else
        return kind != value_kind::none;
}

/// Fills the description of `T` and of what it contains. The lock is held.
template <class T>
const value_type& describe() {
    constexpr value_kind kind = kind_of<T>();
    static_assert(sizeof(described_type<T>) != 0);
    value_type& about = description<T>;
    if (about.kind != value_kind::none) return about;
    if constexpr (kind == value_kind::aggregate) {
        static_assert(reflected_type<T>::count <= max_fields);
    }
    // A type with a fault has had its sentence; what follows would only bury it.
    if constexpr (can_reflect<T>()) describe_as<T, kind>(about);
    return about;
}

// --- what borrows

template <class T, class... Outer>
consteval bool borrows_inside();

template <class... Outer, class... Members>
consteval bool any_borrows(const std::tuple<Members*...>*) {
    return (borrows_inside<std::remove_cv_t<Members>, Outer...>() || ...);
}

template <class... Outer, class... Types>
consteval bool any_borrows(const std::variant<Types...>*) {
    return (borrows_inside<Types, Outer...>() || ...);
}

/// Whether a `T` views its payload or its arena. `Outer` are the types round it, which may be
/// inside of it again.
template <class T, class... Outer>
consteval bool borrows_inside() {
    constexpr value_kind kind = kind_of<T>();
    if constexpr (kind == value_kind::borrowed_string || kind == value_kind::borrowed_bytes)
        return true;
    else if constexpr ((std::is_same_v<T, Outer> || ...))
        return false;
    else if constexpr (kind == value_kind::optional)
        return borrows_inside<typename optional_traits<T>::element, T, Outer...>();
    else if constexpr (kind == value_kind::sequence)
        return borrows_inside<typename vector_traits<T>::element, T, Outer...>();
    else if constexpr (kind == value_kind::array)
        return borrows_inside<typename array_traits<T>::element, T, Outer...>();
    else if constexpr (kind == value_kind::map)
        return borrows_inside<typename map_traits<T>::element, T, Outer...>();
    else if constexpr (kind == value_kind::variant)
        return any_borrows<T, Outer...>(static_cast<const T*>(nullptr));
    else if constexpr (kind == value_kind::aggregate && can_reflect<T>())
        return any_borrows<T, Outer...>(
            static_cast<const decltype(member_pointers<reflected_type<T>::count>(
                std::declval<T&>()))*>(nullptr));
    else
        return false;
}

}  // namespace waybill::detail
