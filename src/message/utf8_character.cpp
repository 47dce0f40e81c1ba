#include "message/utf8_character.hpp"

namespace waybill {

std::size_t character_at_front(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const auto lead = byte(0);
    if (lead < 0x80) return 1;
    std::size_t size = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        size = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        size = 3;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        size = 4;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
    }
    if (size == 0 || text.size() < size || byte(1) < low || byte(1) > high) return 0;
    for (std::size_t at = 2; at < size; ++at) {
        if ((byte(at) & 0xC0) != 0x80) return 0;
    }
    return size;
}

}  // namespace waybill
