#include "same_value.hpp"

#include "codec/byte_values.hpp"
#include "codec/integers.hpp"
#include "codec/wire_value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace support {
namespace {

using waybill::value_kind;
using waybill::value_type;

template <class Number>
bool same_float(const void* one, const void* other) {
    const auto left = waybill::load_as<Number>(one);
    const auto right = waybill::load_as<Number>(other);
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
    return left == right && std::signbit(left) == std::signbit(right);
}

template <class T>
bool equal(const void* one, const void* other) {
    return *static_cast<const T*>(one) == *static_cast<const T*>(other);
}

bool same_members(const value_type& type, const void* one, const void* other) {
    // Those that are left out stand behind the others.
    const std::span all{type.fields.data(), static_cast<std::size_t>(std::popcount(type.members))};
    return std::ranges::all_of(all, [&](const waybill::field_info& field) {
        return same_value(*field.type, field.of(one), field.of(other));
    });
}

bool same_elements(const value_type& element, const void* one, const void* other,
                   std::size_t count) {
    const auto* left = static_cast<const std::byte*>(one);
    const auto* right = static_cast<const std::byte*>(other);
    for (std::size_t i = 0; i < count; ++i, left += element.size, right += element.size)
        if (!same_value(element, left, right)) return false;
    return true;
}

bool same_sequences(const value_type& type, const void* one, const void* other) {
    const auto data = [&](const void* of) { return type.sequence->data(const_cast<void*>(of)); };
    const std::size_t count = type.sequence->size(one);
    return count == type.sequence->size(other) &&
           same_elements(*type.element, data(one), data(other), count);
}

bool same_optionals(const value_type& type, const void* one, const void* other) {
    const void* const left = type.optional->get(one);
    const void* const right = type.optional->get(other);
    if (left == nullptr || right == nullptr) return left == right;
    return same_value(*type.element, left, right);
}

using entries = std::map<std::string_view, const void*>;

entries entries_of(const value_type& type, const void* map) {
    entries all;
    const auto add = [](void* context, std::string_view key, const void* value) {
        return static_cast<entries*>(context)->emplace(key, value).second;
    };
    type.map->visit(map, add, &all);
    return all;
}

bool same_maps(const value_type& type, const void* one, const void* other) {
    return std::ranges::equal(entries_of(type, one), entries_of(type, other),
                              [&](const auto& left, const auto& right) {
                                  return left.first == right.first &&
                                         same_value(*type.element, left.second, right.second);
                              });
}

bool same_variants(const value_type& type, const void* one, const void* other) {
    const std::size_t index = type.variant->index(one);
    if (index != type.variant->index(other)) return false;
    return index >= type.alternatives.size() ||
           same_value(*type.alternatives[index].type, type.variant->get(one),
                      type.variant->get(other));
}

bool same_scalars(const waybill::scalar_hooks& scalar, const void* one, const void* other) {
    std::string problem;
    std::string other_problem;
    waybill::wire_value left{scalar, one, problem};
    waybill::wire_value right{scalar, other, other_problem};
    if (!left.is_alive() || !right.is_alive()) return left.is_alive() == right.is_alive();
    return same_value(*scalar.written, left.get(), right.get());
}

}  // namespace

bool same_value(const value_type& type, const void* one, const void* other) {
    switch (type.kind) {
        case value_kind::none:
        case value_kind::opaque:
            return true;
        case value_kind::boolean:
        case value_kind::signed_integer:
        case value_kind::unsigned_integer:
        case value_kind::enumeration:
            return waybill::load_unsigned(one, type.size) ==
                   waybill::load_unsigned(other, type.size);
        case value_kind::float32:
            return same_float<float>(one, other);
        case value_kind::float64:
            return same_float<double>(one, other);
        case value_kind::string:
            return equal<std::string>(one, other);
        case value_kind::borrowed_string:
            return equal<std::string_view>(one, other);
        case value_kind::bits:
            return equal<std::vector<bool>>(one, other);
        case value_kind::bytes:
        case value_kind::fixed_bytes:
        case value_kind::borrowed_bytes:
            return std::ranges::equal(waybill::bytes_of(type, one), waybill::bytes_of(type, other));
        case value_kind::aggregate:
            return same_members(type, one, other);
        case value_kind::array:
            return same_elements(*type.element, one, other, type.length);
        case value_kind::sequence:
            return same_sequences(type, one, other);
        case value_kind::optional:
            return same_optionals(type, one, other);
        case value_kind::map:
            return same_maps(type, one, other);
        case value_kind::variant:
            return same_variants(type, one, other);
        case value_kind::scalar:
            return same_scalars(*type.scalar, one, other);
    }
    return false;
}

}  // namespace support
