/// What types are called: in messages for people, and inside of a std::variant on the wire.
#pragma once

#include <waybill/detail/type_text.hpp>
#include <waybill/detail/value_kinds.hpp>
#include <waybill/message_traits.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace waybill::detail {

using integer_names = std::array<std::string_view, 8>;

template <class T>
consteval std::string_view integer_name(const integer_names& names) {
    return names[std::countr_zero(sizeof(T)) + (std::is_signed_v<T> ? 4 : 0)];
}

template <class T>
consteval std::string_view plain_name() {
    constexpr value_kind kind = kind_of<T>();
    if constexpr (kind == value_kind::signed_integer || kind == value_kind::unsigned_integer)
        return integer_name<T>({"std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t",
                                "std::int8_t", "std::int16_t", "std::int32_t", "std::int64_t"});
    else if constexpr (kind == value_kind::string)
        return "std::string";
    else if constexpr (kind == value_kind::borrowed_string)
        return "std::string_view";
    else if constexpr (kind == value_kind::bytes)
        return "std::vector<std::byte>";
    else if constexpr (kind == value_kind::borrowed_bytes)
        return "std::span<const std::byte>";
    else if constexpr (kind == value_kind::fixed_bytes)
        return "std::array<std::byte>";
    else if constexpr (kind == value_kind::variant)
        return "std::variant";
    else if constexpr (duration_traits<T>::is)
        return "std::chrono::duration";
    else if constexpr (time_traits<T>::is)
        return "std::chrono::time_point";
    else
        return short_type_name<T>();
}

/// For people: "refund", "std::vector<line>".
template <class T>
struct type_text {
    static constexpr std::string_view view = plain_name<T>();
};

template <class Inner>
struct text_round {
    static constexpr std::string_view inner = type_text<Inner>::view;
    template <std::size_t Before>
    static consteval auto with(const char (&before)[Before]) {
        return join_text<inner.size() + Before>({std::string_view{before, Before - 1}, inner, ">"});
    }
};
template <class T>
    requires(vector_traits<T>::is && kind_of<T>() != value_kind::bytes)
struct type_text<T> {
    static constexpr auto text =
        text_round<typename vector_traits<T>::element>::with("std::vector<");
    static constexpr std::string_view view = text.view();
};
template <class T>
    requires(optional_traits<T>::is)
struct type_text<T> {
    static constexpr auto text =
        text_round<typename optional_traits<T>::element>::with("std::optional<");
    static constexpr std::string_view view = text.view();
};
template <class T>
    requires(array_traits<T>::is && kind_of<T>() != value_kind::fixed_bytes)
struct type_text<T> {
    static constexpr auto text = text_round<typename array_traits<T>::element>::with("std::array<");
    static constexpr std::string_view view = text.view();
};
template <class T>
    requires(map_traits<T>::is)
struct type_text<T> {
    static constexpr auto text =
        text_round<typename map_traits<T>::element>::with("std::map<std::string, ");
    static constexpr std::string_view view = text.view();
};

/// What an alternative of a std::variant is called on the wire.
template <class T>
constexpr std::string_view wire_type_name() {
    constexpr value_kind kind = kind_of<T>();
    if constexpr (requires { std::string_view{message_traits<T>::name}; })
        return message_traits<T>::name;
    else if constexpr (kind == value_kind::signed_integer || kind == value_kind::unsigned_integer)
        return integer_name<T>({"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"});
    else if constexpr (kind == value_kind::float32)
        return "f32";
    else if constexpr (kind == value_kind::float64)
        return "f64";
    else if constexpr (kind == value_kind::string || kind == value_kind::borrowed_string)
        return "string";
    else if constexpr (kind == value_kind::bytes || kind == value_kind::borrowed_bytes ||
                       kind == value_kind::fixed_bytes)
        return "bytes";
    else if constexpr (duration_traits<T>::is)
        return "duration";
    else if constexpr (time_traits<T>::is)
        return "time";
    else
        return type_text<T>::view;
}

}  // namespace waybill::detail
