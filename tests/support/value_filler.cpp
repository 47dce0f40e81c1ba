#include "value_filler.hpp"

#include "codec/byte_values.hpp"
#include "codec/integers.hpp"
#include "codec/wire_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace support {
namespace {

using namespace std::string_view_literals;
using waybill::value_kind;
using waybill::value_type;

constexpr std::array pieces{"a"sv,     "key"sv,       " "sv,      "0"sv,          "\""sv,
                            "\\"sv,    "/"sv,         "\n"sv,     "\0"sv,         "\x1f"sv,
                            "\x7f"sv,  "\u00e9"sv,    "\u2028"sv, "\U0001F600"sv, "\uffff"sv,
                            "plain"sv, "\U0010ffff"sv};
constexpr std::array ill_formed{"\x80"sv,     "\xc3"sv, "\xed\xa0\x80"sv, "\xf5\x80\x80\x80"sv,
                                "\xc0\x80"sv, "\xff"sv};

/// Sizes and counts round which heads of CBOR and MessagePack change their form.
constexpr std::array<std::size_t, 10> edges{15, 16, 23, 24, 31, 32, 255, 256, 65535, 65536};

bool is_chrono(const value_type& type) { return type.name.starts_with("std::chrono"); }

}  // namespace

/// Of elements, which are few so that a value does not grow beyond its budget.
std::size_t value_filler::count() {
    if (left_ == 0 || depth_ >= (wild() ? 80 : 40)) return 0;
    const std::size_t wanted = from_.one_in(32) ? edges[from_.below(6)] : from_.below(4);
    return std::min(wanted, left_);
}

/// Of text and bytes. What is long counts as many values.
std::size_t value_filler::size() {
    if (!from_.one_in(32)) return from_.below(8);
    const std::size_t wanted = edges[from_.below(from_.one_in(64) ? edges.size() : 8)];
    const std::size_t cost = wanted / 128;
    if (cost > left_) return 0;
    left_ -= cost;
    return wanted;
}

std::uint64_t value_filler::integer(std::size_t size) {
    const std::uint64_t top = std::uint64_t{1} << (8 * size - 1);
    switch (from_.below(8)) {
        case 0:
            return from_.number(1);
        case 1:
            return ~std::uint64_t{0};
        case 2:
            return top;
        case 3:
            return top - 1;
        default:
            return from_.number(size) >> from_.below(8 * size);
    }
}

template <class Number>
Number value_filler::real() {
    using limits = std::numeric_limits<Number>;
    constexpr std::array known{Number{-0.0},         limits::max(), limits::lowest(), limits::min(),
                               limits::denorm_min(), Number{0.1},   Number{1e15},     Number{1e22}};
    constexpr std::array odd{limits::quiet_NaN(), limits::infinity(), -limits::infinity()};
    const auto whole = static_cast<Number>(static_cast<std::int32_t>(integer(4)));
    switch (from_.below(8)) {
        case 0:
            return whole;
        case 1:
            return whole / 100;
        case 2:
            return known[from_.below(known.size())];
        case 3:
            return wild() ? odd[from_.below(odd.size())] : -whole;
        case 4:
            return std::ldexp(whole, static_cast<int>(from_.below(64)) - 32);
        default: {
            std::array<std::byte, sizeof(Number)> bits{};
            waybill::store_integer(bits.data(), sizeof(Number), from_.number(sizeof(Number)));
            const auto any = waybill::load_as<Number>(bits.data());
            return wild() || std::isfinite(any) ? any : whole;
        }
    }
}

std::string value_filler::text() {
    const std::size_t wanted = size();
    std::string all;
    while (all.size() < wanted) {
        all += pieces[from_.below(pieces.size())];
        if (all.size() > 32) all.append(wanted - std::min(wanted, all.size()), 'x');
    }
    if (wild() && from_.one_in(64)) all += ill_formed[from_.below(ill_formed.size())];
    return all;
}

std::string value_filler::time() {
    const std::size_t year = from_.one_in(8) ? from_.below(10000) : 1970 + from_.below(200);
    std::string all =
        fmt::format("{:04}-{:02}-{:02}T", year, 1 + from_.below(12), 1 + from_.below(28));
    const std::size_t precision = from_.below(4);
    if (precision == 0) return all + "00:00:00Z";
    all += fmt::format("{:02}:{:02}:{:02}", from_.below(24), from_.below(60), from_.below(60));
    if (precision == 2) all += fmt::format(".{:03}", from_.below(1000));
    if (precision == 3) all += fmt::format(".{:09}", from_.number(4) % 1'000'000'000);
    return all + "Z";
}

void value_filler::fill(const value_type& type, void* object) {
    if (left_ != 0) --left_;
    ++depth_;
    fill_inside(type, object);
    --depth_;
}

void value_filler::fill_inside(const value_type& type, void* object) {
    switch (type.kind) {
        case value_kind::none:
        case value_kind::opaque:
            return;
        case value_kind::boolean:
            *static_cast<bool*>(object) = from_.below(2) != 0;
            return;
        case value_kind::signed_integer:
        case value_kind::unsigned_integer:
            return waybill::store_integer(object, type.size, integer(type.size));
        case value_kind::float32:
            *static_cast<float*>(object) = real<float>();
            return;
        case value_kind::float64:
            *static_cast<double*>(object) = real<double>();
            return;
        case value_kind::string:
            *static_cast<std::string*>(object) = text();
            return;
        case value_kind::borrowed_string:
            *static_cast<std::string_view*>(object) = kept_.keep(text());
            return;
        case value_kind::bytes:
        case value_kind::fixed_bytes:
        case value_kind::borrowed_bytes:
            return fill_bytes(type, object);
        case value_kind::enumeration:
            return fill_enumeration(type, object);
        case value_kind::bits: {
            std::vector<bool> all(size());
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = from_.below(2) != 0;
            *static_cast<std::vector<bool>*>(object) = all;
            return;
        }
        case value_kind::optional:
            return fill_optional(type, object);
        case value_kind::aggregate:
            return fill_aggregate(type, object);
        case value_kind::sequence:
            return fill_sequence(type, object);
        case value_kind::array:
            for (std::uint32_t i = 0; i < type.length; ++i)
                fill(*type.element, static_cast<std::byte*>(object) + i * type.element->size);
            return;
        case value_kind::map:
            return fill_map(type, object);
        case value_kind::variant:
            return fill_variant(type, object);
        case value_kind::scalar:
            return fill_scalar(type, object);
    }
}

void value_filler::fill_bytes(const value_type& type, void* object) {
    const std::size_t wanted = type.kind == value_kind::fixed_bytes ? type.length : size();
    std::byte* const at = waybill::make_room(type, object, wanted, kept_);
    for (std::size_t i = 0; i < wanted; ++i) at[i] = static_cast<std::byte>(from_.number(1));
}

void value_filler::fill_enumeration(const value_type& type, void* object) {
    const bool named = !type.enumerators.empty() && !(wild() && from_.one_in(32));
    const std::uint64_t value =
        named ? static_cast<std::uint64_t>(
                    type.enumerators[from_.below(type.enumerators.size())].value)
              : integer(type.size);
    waybill::store_integer(object, type.size, value);
}

void value_filler::fill_optional(const value_type& type, void* object) {
    type.optional->clear(object);
    if (count() != 0) fill(*type.element, type.optional->engage(object));
}

void value_filler::fill_aggregate(const value_type& type, void* object) {
    // Elements and entries that a map or vector had to spare hold an earlier message.
    type.destroy(object);
    type.construct(object);
    for (const auto& field : type.fields) fill(*field.type, field.of(object));
}

void value_filler::fill_sequence(const value_type& type, void* object) {
    waybill::memory_budget enough{std::size_t{1} << 24};
    type.sequence->truncate(object, 0);
    for (std::size_t left = count(); left != 0; --left)
        fill(*type.element, type.sequence->extend(object, enough));
}

void value_filler::fill_map(const value_type& type, void* object) {
    waybill::memory_budget enough{std::size_t{1} << 24};
    type.map->clear(object);
    for (std::size_t left = count(); left != 0; --left)
        fill(*type.element, type.map->insert(object, text(), enough).value);
}

void value_filler::fill_variant(const value_type& type, void* object) {
    const std::size_t index = left_ == 0 ? 0 : from_.below(type.alternatives.size());
    fill(*type.alternatives[index].type, type.variant->select(object, index));
}

/// From what may stand on the wire for it; a `T{}` where that is refused.
void value_filler::fill_scalar(const value_type& type, void* object) {
    constexpr std::array<std::int64_t, 6> units{
        1, 1'000, 1'000'000, 1'000'000'000, 60'000'000'000, 3'600'000'000'000};
    type.destroy(object);
    type.construct(object);
    if (wild() && is_chrono(type) && from_.one_in(4))
        return waybill::store_integer(object, type.size, from_.number(type.size));
    const std::string as_text = type.scalar->is_time ? time() : std::string{};
    waybill::wire_value wire{*type.scalar->read};
    if (type.scalar->is_time)
        *static_cast<std::string_view*>(wire.get()) = as_text;
    else if (is_chrono(type))
        *static_cast<std::int64_t*>(wire.get()) =
            units[from_.below(units.size())] * static_cast<std::int16_t>(integer(2));
    else
        fill(*type.scalar->read, wire.get());
    std::string problem;
    if (type.scalar->from_wire(object, wire.get(), problem)) return;
    type.destroy(object);
    type.construct(object);
}

}  // namespace support
