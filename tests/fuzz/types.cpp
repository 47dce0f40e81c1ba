#include "types.hpp"

#include <waybill/fields.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace fuzz {

enum class colour : std::uint8_t { red, green = 7, blue = 200 };
enum class state : std::int64_t { open, paid = 7, lost = -3 };

struct celsius {
    double degrees = 0;
};
struct picky {
    int value = 0;
};
struct word {
    std::string letters;
};

}  // namespace fuzz

template <>
struct waybill::scalar<fuzz::celsius> {
    static double to_wire(fuzz::celsius value) { return value.degrees; }
    static fuzz::celsius from_wire(double degrees) { return {degrees}; }
};
template <>
struct waybill::scalar<fuzz::picky> {
    static int to_wire(fuzz::picky value) { return value.value; }
    static std::expected<fuzz::picky, std::string> from_wire(std::uint8_t value) {
        if (value == 13) return std::unexpected{"expected anything but 13"};
        if (value == 14) throw std::runtime_error{std::string(300, 'x')};
        return fuzz::picky{value};
    }
};
template <>
struct waybill::scalar<fuzz::word> {
    static std::string to_wire(const fuzz::word& value) { return value.letters; }
    static std::optional<fuzz::word> from_wire(std::string_view text) {
        if (text.find(' ') != text.npos) return std::nullopt;
        return fuzz::word{std::string{text}};
    }
};

namespace fuzz {

struct nothing {};
struct id_only {
    std::uint64_t id = 0;
};
struct line {
    std::string sku;
    std::uint32_t cents = 0;
    std::optional<std::string> note;
};
struct order {
    std::uint64_t id = 0;
    std::string customer;
    std::vector<line> lines;
    state status = state::open;
    std::optional<line> gift;
    std::vector<std::byte> blob;
    std::vector<bool> flags;
    double weight = 0;
    float rate = 0;
    bool express = false;
    std::optional<std::int16_t> shelf = 4;
};
struct numbers {
    std::int8_t i8 = 0;
    std::int16_t i16 = 0;
    std::int32_t i32 = 0;
    std::int64_t i64 = 0;
    std::uint8_t u8 = 0;
    std::uint16_t u16 = 0;
    std::uint32_t u32 = 0;
    std::uint64_t u64 = 0;
};

/// Names that are each other's beginnings, and alike in their first eight letters.
struct thirty_two {
    int a = 0, aa = 0, aaa = 0, aaaaaaa = 0, aaaaaaaa = 0, aaaaaaaaa = 0, aaaaaaab = 0;
    std::string b, ab, number_1, number_2, number_10, number_100;
    std::optional<bool> c, ac, ad, ae;
    std::vector<int> d, dd, ddd;
    double e = 0, ee = 0;
    colour f{}, ff{};
    id_only g, gg;
    std::optional<id_only> h, hh;
    bool i = false, ii = false, iii = false, last = false;
};

struct times {
    std::chrono::sys_time<std::chrono::nanoseconds> nano{};
    std::chrono::sys_time<std::chrono::milliseconds> milli{};
    std::chrono::sys_seconds second{};
    std::chrono::sys_days day{};
    std::chrono::nanoseconds took{};
    std::chrono::milliseconds pause{};
    std::chrono::minutes limit{};
    std::chrono::duration<std::int16_t, std::ratio<1, 3>> thirds{};
};
struct scalars {
    celsius warmth;
    picky choice;
    word name;
    std::optional<picky> other;
    std::vector<word> words;
};
struct all_bytes {
    std::vector<std::byte> any;
    std::array<std::byte, 5> five{};
    std::vector<std::vector<std::byte>> list;
    std::optional<std::array<std::byte, 1>> one;
};
struct borrower {
    std::string_view name;
    std::span<const std::byte> blob;
    std::vector<std::string_view> tags;
    std::optional<std::string_view> note;
    std::map<std::string, std::span<const std::byte>> parts;
    std::variant<std::string_view, bool> either;
};
struct containers {
    std::array<std::int32_t, 3> triple{};
    std::array<std::optional<line>, 2> pair{};
    std::map<std::string, std::uint32_t> stock;
    std::unordered_map<std::string, std::vector<std::string>> names;
    std::vector<std::vector<std::optional<float>>> matrix;
    std::map<std::string, std::map<std::string, nothing>> groups;
};

struct paid {
    std::uint64_t cents = 0;
};
struct failed {
    std::string why;
    colour shade{};
};
using event = std::variant<paid, failed, std::uint32_t, std::vector<std::byte>>;
struct events {
    event first;
    std::vector<event> rest;
    std::optional<std::variant<std::string, bool, nothing>> answer;
};

struct ruled {
    std::uint32_t total = 7;
    std::string currency;
    int cached = 5;
    std::vector<std::string> secrets{"a", "b"};
    std::vector<int> counts{1, 2};
    std::optional<int> shelf = 4;
};
struct strict {
    int a = 0;
    std::optional<int> b;
    std::vector<id_only> c;
};

struct tree {
    int value = 0;
    std::vector<tree> children;
};
struct folder {
    std::string owner;
    std::map<std::string, folder> inside;
    std::optional<std::vector<folder>> links;
};
struct rope {
    std::vector<std::variant<std::string, rope>> parts;
};

/// Defaults on the heap, and a name longer than three words of a processor.
struct lavish {
    std::vector<std::uint64_t> numbers = std::vector<std::uint64_t>(4, 7);
    std::string text;
    std::optional<std::int32_t> a_name_of_exactly_32_letters_now;
};
struct sealed {
    int secret = 0;
};

}  // namespace fuzz

template <>
struct waybill::message_traits<fuzz::ruled> {
    static constexpr auto fields = std::tuple{
        waybill::renamed(&fuzz::ruled::total, "total cents"),
        waybill::defaulted(&fuzz::ruled::currency, "GBP"),
        waybill::left_out(&fuzz::ruled::cached),
        waybill::left_out(&fuzz::ruled::secrets),
        waybill::defaulted(&fuzz::ruled::counts),
        waybill::renamed(&fuzz::ruled::counts, "\u0447\u0438\u0441\u043b\u0430"),
    };
};
template <>
struct waybill::message_traits<fuzz::strict> {
    static constexpr bool is_closed = true;
};
template <>
struct waybill::message_traits<fuzz::lavish> {
    static constexpr auto fields = std::tuple{
        waybill::defaulted(&fuzz::lavish::numbers),
        waybill::defaulted(&fuzz::lavish::text, "as long a default as no small string can hold"),
    };
};
template <>
struct waybill::message_traits<fuzz::sealed> {
    static constexpr bool is_opaque = true;
};

namespace fuzz {
namespace {

template <class... Types>
std::array<const waybill::value_type*, sizeof...(Types)> described() {
    return {&waybill::value_type_of<Types>()...};
}

}  // namespace

std::span<const waybill::value_type* const> types() {
    using text_map = std::map<std::string, std::string>;
    using counts = std::unordered_map<std::string, std::optional<std::uint16_t>>;
    // A new type comes last: the inputs under corpus/ mean these by their index.
    static const auto all =
        described<order, numbers, thirty_two, times, scalars, all_bytes, borrower, containers,
                  events, ruled, strict, tree, folder, rope, nothing, id_only, bool, std::int8_t,
                  std::uint16_t, std::int32_t, std::uint64_t, float, double, std::string,
                  std::vector<std::byte>, std::vector<bool>, std::vector<std::vector<std::string>>,
                  std::array<std::int64_t, 3>, std::array<std::byte, 4>, std::optional<id_only>,
                  std::optional<std::string>, text_map, counts, event, colour,
                  std::chrono::sys_time<std::chrono::nanoseconds>, std::chrono::nanoseconds,
                  std::string_view, std::span<const std::byte>, celsius, sealed, std::vector<order>,
                  std::vector<std::optional<std::int64_t>>, std::chrono::duration<double>,
                  std::vector<lavish>, std::map<std::string, std::optional<lavish>>>();
    return all;
}

}  // namespace fuzz
