/// Message types that nobody thought of: composed at compile time from a seed.
#pragma once

#include <waybill/message_traits.hpp>
#include <waybill/scalar.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

namespace support {

enum class suit : std::int8_t { clubs, hearts = 5, spades = -7 };

struct percent {
    double value = 0;
};

template <class A>
struct record1 {
    A only{};
};
template <class A, class B>
struct record2 {
    A first{};
    B second{};
};
template <class A, class B, class C>
struct record3 {
    A a{};
    B a_member_with_a_long_name{};
    C a_member_with_another_name{};
};
/// Closed, with a member renamed and one that defaults.
template <class A, class B>
struct ruled2 {
    A plain{};
    B other{};
};
/// Absence of the second means a value.
template <class A>
struct defaulting {
    A first{};
    std::optional<std::int32_t> level = 3;
};

}  // namespace support

template <>
struct waybill::scalar<support::percent> {
    static double to_wire(support::percent one) { return one.value; }
    static support::percent from_wire(double value) { return {value}; }
};
template <class A>
struct waybill::message_traits<support::record1<A>> {
    static constexpr std::string_view name = "record 1";
};
template <class A, class B>
struct waybill::message_traits<support::ruled2<A, B>> {
    static constexpr auto fields =
        std::tuple{waybill::renamed(&support::ruled2<A, B>::plain, "\u0438\u043c\u044f"),
                   waybill::defaulted(&support::ruled2<A, B>::other)};
    static constexpr bool is_closed = true;
};

namespace support {

using leaves =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
               std::uint16_t, std::uint32_t, std::uint64_t, float, double, std::string, std::string,
               std::string_view, std::vector<std::byte>, std::array<std::byte, 4>,
               std::span<const std::byte>, suit, std::vector<bool>, std::chrono::nanoseconds,
               std::chrono::minutes, std::chrono::sys_time<std::chrono::milliseconds>,
               std::chrono::sys_seconds, percent>;

/// Any bits of `seed` change all bits of this.
constexpr std::uint64_t mixed(std::uint64_t seed) {
    for (int round = 0; round < 3; ++round) {
        seed ^= seed >> 29;
        seed = seed * 0x9e3779b97f4a7c15U + 0x7f4a7c15U;
    }
    return seed ^ seed >> 32;
}

/// An optional, or something else round what is one already.
template <class T>
struct perhaps {
    using type = std::optional<T>;
};
template <class T>
struct perhaps<std::optional<T>> {
    using type = std::vector<std::optional<T>>;
};

template <std::uint64_t Seed, int Depth>
consteval auto compose_type();

/// A type with at most `Depth` types round its innermost.
template <std::uint64_t Seed, int Depth>
using random_type = typename decltype(compose_type<Seed, Depth>())::type;

template <std::uint64_t Seed, int Depth, std::uint64_t Part>
using random_part = random_type<mixed(Seed + Part), Depth - 1>;

template <std::uint64_t Seed, int Depth>
consteval auto compose_type() {
    constexpr std::uint64_t choice = Depth == 0 ? 99 : mixed(Seed) % 14;
    if constexpr (choice < 2)
        return std::type_identity<
            record2<random_part<Seed, Depth, 1>, random_part<Seed, Depth, 2>>>{};
    else if constexpr (choice < 5)
        return std::type_identity<record3<random_part<Seed, Depth, 1>, random_part<Seed, Depth, 2>,
                                          random_part<Seed, Depth, 3>>>{};
    else if constexpr (choice == 5)
        return std::type_identity<
            ruled2<random_part<Seed, Depth, 1>, random_part<Seed, Depth, 2>>>{};
    else if constexpr (choice == 6)
        return std::type_identity<defaulting<random_part<Seed, Depth, 1>>>{};
    else if constexpr (choice == 7)
        return std::type_identity<typename perhaps<random_part<Seed, Depth, 1>>::type>{};
    else if constexpr (choice < 10)
        return std::type_identity<std::vector<random_part<Seed, Depth, 1>>>{};
    else if constexpr (choice == 10)
        return std::type_identity<std::map<std::string, random_part<Seed, Depth, 1>>>{};
    else if constexpr (choice == 11)
        return std::type_identity<std::unordered_map<std::string, random_part<Seed, Depth, 1>>>{};
    else if constexpr (choice == 12)
        return std::type_identity<std::array<random_part<Seed, Depth, 1>, 3>>{};
    else if constexpr (choice == 13)
        return std::type_identity<
            std::variant<std::uint16_t, std::string, record1<random_part<Seed, Depth, 1>>>>{};
    else
        return std::type_identity<
            std::tuple_element_t<mixed(Seed) % std::tuple_size_v<leaves>, leaves>>{};
}

}  // namespace support
