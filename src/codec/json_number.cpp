#include "json_number.hpp"

namespace waybill {
namespace {

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }

const char* skip_digits(const char* at) noexcept {
    while (is_digit(*at)) ++at;
    return at;
}

}  // namespace

digits read_digits(const char* at) noexcept {
    digits found{0, at, false};
    for (; is_digit(*found.end); ++found.end) {
        const auto digit = static_cast<std::uint64_t>(*found.end - '0');
        std::uint64_t next = 0;
        found.overflow |= __builtin_mul_overflow(found.value, std::uint64_t{10}, &next) ||
                          __builtin_add_overflow(next, digit, &next);
        found.value = next;
    }
    return found;
}

const char* end_of_number(const char* at) noexcept {
    if (*at == '-') ++at;
    if (!is_digit(*at)) return nullptr;
    at = *at == '0' ? at + 1 : skip_digits(at);
    if (*at == '.') {
        if (!is_digit(at[1])) return nullptr;
        at = skip_digits(at + 1);
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        if (*at == '+' || *at == '-') ++at;
        if (!is_digit(*at)) return nullptr;
        at = skip_digits(at);
    }
    return at;
}

}  // namespace waybill
