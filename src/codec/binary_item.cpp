#include "binary_item.hpp"

#include <array>
#include <charconv>

namespace waybill {
namespace {

std::string first_byte(std::string_view rest) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto first = static_cast<unsigned char>(rest.front());
    return {'0', 'x', hex[first >> 4], hex[first & 0xf]};
}

std::string negative(std::uint64_t below_zero) {
    if (below_zero == ~std::uint64_t{0}) return "-18446744073709551616";
    return '-' + std::to_string(below_zero + 1);
}

std::string decimal(double real) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), real).ptr};
}

}  // namespace

std::string shown(const binary_item& item, std::string_view rest) {
    if (rest.empty()) return {};
    switch (item.kind) {
        case binary_kind::unsigned_integer:
            return std::to_string(item.number);
        case binary_kind::negative_integer:
            return negative(item.number);
        case binary_kind::floating:
            return decimal(item.real);
        case binary_kind::boolean:
            return item.number != 0 ? "true" : "false";
        case binary_kind::null:
            return "null";
        case binary_kind::text:
            return std::string{item.content.substr(0, 25)};
        case binary_kind::bytes:
        case binary_kind::bytes_begin:
            return "bytes";
        case binary_kind::array:
        case binary_kind::array_begin:
            return "array";
        case binary_kind::map:
        case binary_kind::map_begin:
            return "map";
        case binary_kind::extension:
            return "extension " + std::to_string(static_cast<std::int8_t>(item.number));
        default:
            return first_byte(rest);
    }
}

}  // namespace waybill
