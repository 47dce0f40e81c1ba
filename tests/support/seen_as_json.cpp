#include "seen_as_json.hpp"

#include "codec/byte_values.hpp"
#include "codec/integers.hpp"
#include "codec/wire_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {
namespace {

using nlohmann::json;
using waybill::value_kind;
using waybill::value_type;

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string all;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto part = bytes.subspan(at, std::min<std::size_t>(3, bytes.size() - at));
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < part.size() ? std::to_integer<std::uint32_t>(part[i]) : 0);
        for (std::size_t i = 0; i < 4; ++i)
            all += i <= part.size() ? digits[bits >> (18 - 6 * i) & 63] : '=';
    }
    return all;
}

double shortest(float value) {
    std::array<char, 32> digits{};
    std::to_chars(digits.data(), digits.data() + digits.size() - 1, value);
    return std::strtod(digits.data(), nullptr);
}

class oracle {
public:
    explicit oracle(wire_form as) : as_(as) {}

    json operator()(const value_type& type, const void* object) const {
        switch (type.kind) {
            case value_kind::boolean:
                return *static_cast<const bool*>(object);
            case value_kind::signed_integer:
                return waybill::load_signed(object, type.size);
            case value_kind::unsigned_integer:
                return waybill::load_unsigned(object, type.size);
            case value_kind::float32: {
                const auto value = *static_cast<const float*>(object);
                return as_ == wire_form::text ? shortest(value) : double{value};
            }
            case value_kind::float64:
                return *static_cast<const double*>(object);
            case value_kind::string:
                return *static_cast<const std::string*>(object);
            case value_kind::borrowed_string:
                return *static_cast<const std::string_view*>(object);
            case value_kind::bytes:
            case value_kind::fixed_bytes:
            case value_kind::borrowed_bytes:
                return bytes(waybill::bytes_of(type, object));
            case value_kind::enumeration:
                return waybill::find_enumerator(type, object)->name;
            case value_kind::bits:
                return *static_cast<const std::vector<bool>*>(object);
            case value_kind::optional: {
                const void* const value = type.optional->get(object);
                return value == nullptr ? json{} : (*this)(*type.element, value);
            }
            case value_kind::sequence:
                return list(*type.element, type.sequence->data(const_cast<void*>(object)),
                            type.sequence->size(object));
            case value_kind::array:
                return list(*type.element, object, type.length);
            case value_kind::aggregate:
                return members(type, object);
            case value_kind::map:
                return entries(type, object);
            case value_kind::variant: {
                const auto& one = type.alternatives[type.variant->index(object)];
                json all = json::object();
                all[std::string{one.name}] = (*this)(*one.type, type.variant->get(object));
                return all;
            }
            case value_kind::scalar: {
                std::string problem;
                waybill::wire_value wire{*type.scalar, object, problem};
                return (*this)(*type.scalar->written, wire.get());
            }
            case value_kind::none:
            case value_kind::opaque:
                break;
        }
        return json::value_t::discarded;
    }

private:
    json bytes(std::span<const std::byte> from) const {
        if (as_ == wire_form::text) return base64(from);
        const auto* const first = reinterpret_cast<const std::uint8_t*>(from.data());
        return json::binary({first, first + from.size()});
    }

    json list(const value_type& element, const void* first, std::size_t count) const {
        json all = json::array();
        const auto* at = static_cast<const std::byte*>(first);
        for (std::size_t i = 0; i < count; ++i, at += element.size)
            all.push_back((*this)(element, at));
        return all;
    }

    json members(const value_type& type, const void* object) const {
        json all = json::object();
        for (const auto& field : type.fields) {
            json value = (*this)(*field.type, field.of(object));
            if (!value.is_null() || !field.absent_is_empty)
                all[std::string{field.name()}] = std::move(value);
        }
        return all;
    }

    json entries(const value_type& type, const void* map) const {
        struct visit {
            const oracle& see;
            const value_type& element;
            json all = json::object();
        } each{*this, *type.element};
        const auto add = [](void* context, std::string_view key, const void* value) {
            auto& [see, element, all] = *static_cast<visit*>(context);
            all[std::string{key}] = see(element, value);
            return true;
        };
        type.map->visit(map, add, &each);
        return each.all;
    }

    wire_form as_;
};

}  // namespace

json seen_as_json(const value_type& type, const void* object, wire_form form) {
    return oracle{form}(type, object);
}

}  // namespace support
