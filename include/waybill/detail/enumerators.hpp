/// The names and values of an enum, found at compile time.
#pragma once

#include <waybill/detail/type_text.hpp>
#include <waybill/value_type.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace waybill {

/// Where the values of an enum are looked for. Specialise it for an enum with values outside:
/// an enumerator that is not in the range has no name on the wire.
template <class Enum>
struct enumerator_range {
    static constexpr int first = std::is_signed_v<std::underlying_type_t<Enum>> ? -64 : 0;
    static constexpr int last = first + 255;
};

namespace detail {

template <class Enum>
concept nameable_enum = std::is_enum_v<Enum> && requires { Enum{0}; };

/// The part of `value` that the underlying type can hold: a range may be wider than the type.
template <class Enum>
consteval bool holds(int value) {
    using number = std::underlying_type_t<Enum>;
    return static_cast<int>(static_cast<number>(value)) == value;
}

template <class Enum, int First, int... Index>
consteval std::string_view all_values(std::integer_sequence<int, Index...>) {
    return pretty_values<static_cast<Enum>(holds<Enum>(First + Index) ? First + Index : 0)...>();
}

constexpr bool starts_name(char letter) noexcept {
    return letter == '_' || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           static_cast<unsigned char>(letter) >= 0x80;
}

/// Where the value at `at` ends in a list of values: at a comma or at the bracket behind the last.
consteval std::size_t end_of_value(std::string_view text, std::size_t at) {
    for (int open = 0;; ++at) {
        const char letter = text[at];
        if (open == 0 && (letter == ',' || letter == '}' || letter == '>')) return at;
        if (letter == '<' || letter == '(' || letter == '{') ++open;
        if (letter == '>' || letter == ')' || letter == '}') --open;
    }
}

template <class Enum>
struct enumerator_list {
    static constexpr int first = enumerator_range<Enum>::first;
    static constexpr std::size_t span =
        static_cast<std::size_t>(std::int64_t{enumerator_range<Enum>::last} - first + 1);
    std::array<enumerator, span> items{};
    std::size_t count = 0;

    /// Splits "..., (E)1, space::E::name, ..."; a value without a name starts with a bracket.
    /// Commas inside of brackets are a template's.
    consteval enumerator_list() {
        constexpr std::string_view text =
            all_values<Enum, first>(std::make_integer_sequence<int, static_cast<int>(span)>{});
        std::size_t at = text.find_first_of("{<", text.rfind("Values = ") + 9) + 1;
        for (std::size_t i = 0; i < span; ++i) {
            const std::size_t stop = end_of_value(text, at);
            const int value = first + static_cast<int>(i);
            if (starts_name(text[at]) && holds<Enum>(value)) add(text.substr(at, stop - at), value);
            at = stop + 2;
        }
    }

    consteval void add(std::string_view qualified, int value) {
        const std::size_t colon = qualified.rfind(':');
        items[count++] = {colon == qualified.npos ? qualified : qualified.substr(colon + 1), value};
    }
};

template <class Enum>
inline constexpr enumerator_list<Enum> enumerators{};

}  // namespace detail
}  // namespace waybill
