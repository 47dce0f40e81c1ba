#include "binary_item.hpp"

namespace waybill {

std::string shown(const binary_item& item, std::string_view rest) {
    constexpr std::string_view hex = "0123456789abcdef";
    if (rest.empty()) return {};
    if (item.kind == binary_kind::text) return std::string{item.content.substr(0, 25)};
    if (item.kind == binary_kind::extension)
        return "extension " + std::to_string(static_cast<std::int8_t>(item.number));
    const auto first = static_cast<unsigned char>(rest.front());
    return {'0', 'x', hex[first >> 4], hex[first & 0xf]};
}

}  // namespace waybill
