#include "transport/rabbitmq/percent.hpp"

namespace waybill::rabbitmq {
namespace {

constexpr bool is_unreserved(char letter) noexcept {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return is_letter || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
           letter == '.' || letter == '~';
}

/// -1: no such digit.
int value_of(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    const auto lower = static_cast<char>(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            plain += text[at];
            continue;
        }
        if (at + 2 >= text.size()) return std::nullopt;
        const int high = value_of(text[at + 1]);
        const int low = value_of(text[at + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        plain += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return plain;
}

void append_percent_encoded(std::string& to, std::string_view plain) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char letter : plain) {
        if (is_unreserved(letter)) {
            to += letter;
            continue;
        }
        const auto byte = static_cast<unsigned char>(letter);
        to += '%';
        to += digits[byte >> 4U];
        to += digits[byte & 15U];
    }
}

}  // namespace waybill::rabbitmq
