#include "utf8.hpp"

#include "message/utf8_character.hpp"

#include <simdjson.h>

namespace waybill {

bool is_utf8_slow(std::string_view text) noexcept {
    return simdjson::validate_utf8(text.data(), text.size());
}

std::size_t find_bad_utf8(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t size = character_at_front(text.substr(at));
        if (size == 0) return at;
        at += size;
    }
    return at;
}

}  // namespace waybill
