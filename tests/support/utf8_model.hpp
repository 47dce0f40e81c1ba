/// UTF-8 by the table of RFC 3629 (section 4), byte by byte, as a second opinion.
#pragma once

#include <cstddef>
#include <string_view>

namespace support {

[[nodiscard]] constexpr bool is_well_formed(std::string_view text) {
    std::size_t at = 0;
    const auto next_in = [&](unsigned lowest, unsigned highest) {
        if (at == text.size()) return false;
        const auto byte = static_cast<unsigned char>(text[at++]);
        return byte >= lowest && byte <= highest;
    };
    while (at < text.size()) {
        const auto first = static_cast<unsigned char>(text[at++]);
        if (first <= 0x7f) continue;
        if (first < 0xc2 || first > 0xf4) return false;
        const unsigned lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        const unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (!next_in(lowest, highest)) return false;
        if (first >= 0xe0 && !next_in(0x80, 0xbf)) return false;
        if (first >= 0xf0 && !next_in(0x80, 0xbf)) return false;
    }
    return true;
}

}  // namespace support
