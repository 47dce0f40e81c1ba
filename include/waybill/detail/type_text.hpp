/// Names of types, members and enumerators, taken from the compiler at compile time.
#pragma once

#include <waybill/detail/member_pointers.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>

namespace waybill::detail {

// Clang warns of variables that are never defined; this one must not be.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

/// Stands for a `T` that never exists; only the addresses of its members are used.
template <class T>
extern const T phantom;

/// The address of member `Index` of the `Count` that `T` has. A function that is never emitted: a
/// variable of a type in an unnamed namespace would be, and would need the phantom itself.
template <class T, std::size_t Count, std::size_t Index>
consteval auto* phantom_member() {
    return std::get<Index>(member_pointers<Count>(phantom<T>));
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class T>
consteval std::string_view pretty_type() {
    constexpr std::string_view text = __PRETTY_FUNCTION__;
    constexpr std::size_t first = text.find("T = ") + 4;
    return text.substr(first, text.find_first_of(";]", first) - first);
}

/// A class or enum's name without its namespaces.
template <class T>
consteval std::string_view short_type_name() {
    constexpr std::string_view text = pretty_type<T>();
    std::size_t first = 0;
    for (std::size_t i = 0; i < text.size() && text[i] != '<'; ++i)
        if (text[i] == ':') first = i + 1;
    return text.substr(first);
}

// Returns no alias: g++ would explain it behind the member.
template <const auto* Member>
consteval const char* spelled_member() {
    return __PRETTY_FUNCTION__;
}

template <const auto* Member>
consteval std::string_view pretty_member() {
    constexpr std::string_view text = spelled_member<Member>();
    constexpr std::size_t last = text.find_last_not_of(")]}");
    constexpr std::size_t before = text.find_last_of(".:&", last);
    return text.substr(before + 1, last - before);
}

template <auto... Values>
consteval std::string_view pretty_values() {
    return __PRETTY_FUNCTION__;
}

/// Characters that outlive the program and have 16 readable bytes behind them, so that a reader may
/// compare them with two 8-byte loads.
template <std::size_t Size>
struct padded_text {
    std::array<char, Size + 16> bytes{};

    [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes.data(), Size}; }
};

template <std::size_t Size>
constexpr padded_text<Size> join_text(std::initializer_list<std::string_view> parts) {
    padded_text<Size> all;
    std::size_t at = 0;
    for (const auto part : parts)
        for (const char letter : part) all.bytes[at++] = letter;
    return all;
}

}  // namespace waybill::detail
