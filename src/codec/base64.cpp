#include "base64.hpp"

#include <array>
#include <cstdint>

namespace waybill {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t no_digit = 0x80;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}();

/// The 24 bits of four characters, with a bit above them when one is no digit.
std::uint32_t read_four(const char* at) noexcept {
    std::uint32_t bits = 0;
    std::uint32_t wrong = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t digit = digit_values[static_cast<unsigned char>(at[i])];
        wrong |= digit & no_digit;
        bits = bits << 6 | (digit & 0x3f);
    }
    return bits | wrong << 24;
}

/// The last four characters, one or two of which may be padding.
bool read_last(const char* at, std::byte* out) noexcept {
    std::array<char, 4> four{at[0], at[1], at[2], at[3]};
    const std::size_t padding = four[3] != '=' ? 0 : four[2] != '=' ? 1 : 2;
    for (std::size_t i = 0; i < padding; ++i) four[3 - i] = 'A';
    const std::uint32_t bits = read_four(four.data());
    const std::uint32_t unused = (std::uint32_t{1} << 8 * padding) - 1;
    if (bits >> 24 != 0 || (bits & unused) != 0) return false;
    for (std::size_t i = 0; i < 3 - padding; ++i)
        out[i] = static_cast<std::byte>(bits >> (16 - 8 * i));
    return true;
}

}  // namespace

char* encode_base64(std::span<const std::byte> bytes, char* out) noexcept {
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t left = bytes.size() - at;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < left ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            *out++ = i > left ? '=' : alphabet[bits >> (18 - 6 * i) & 0x3f];
    }
    return out;
}

bool decode_base64(std::string_view text, std::byte* out) noexcept {
    if (text.size() % 4 != 0) return false;
    if (text.empty()) return true;
    const char* const last = text.data() + text.size() - 4;
    for (const char* at = text.data(); at != last; at += 4) {
        const std::uint32_t bits = read_four(at);
        if (bits >> 24 != 0) return false;
        for (const int shift : {16, 8, 0}) *out++ = static_cast<std::byte>(bits >> shift);
    }
    return read_last(last, out);
}

}  // namespace waybill
