/// Texts that are one byte away from a good one.
#pragma once

#include <cstddef>
#include <string>

namespace support {

/// Calls `check` with `good` and any one byte inserted, replaced or taken out.
template <class Check>
void for_each_byte_edit(const std::string& good, const Check& check) {
    for (std::size_t place = 0; place <= good.size(); ++place) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            std::string more = good;
            check(more.insert(place, 1, static_cast<char>(byte)));
            if (place == good.size()) continue;
            std::string other = good;
            other[place] = static_cast<char>(byte);
            check(other);
        }
        std::string less = good;
        if (place != good.size()) check(less.erase(place, 1));
    }
}

}  // namespace support
