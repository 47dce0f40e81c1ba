/// Puts text that was read into a std::string.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

/// As `to.assign(text)`, which would also look whether `text` is a part of `to`, and is for that
/// reason more than twice the instructions.
inline void set_text(std::string& to, std::string_view text) {
    to.resize_and_overwrite(text.size(),
                            [text](char* at, std::size_t size) { return text.copy(at, size); });
}

}  // namespace waybill
