/// Hashes and compares the names of addresses: a publish looks one up, so both read words, not
/// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace waybill::memory {

inline std::uint64_t word_at(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// Up to seven bytes as one word.
inline std::uint64_t short_word(std::string_view name) noexcept {
    std::uint64_t word = 0;
    for (const unsigned char letter : name) word = word << 8 | letter;
    return word;
}

/// Folds the product of two words into one.
inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
    const auto product =
        static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15) * (b ^ 0xC2B2AE3D27D4EB4F);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Sixteen bytes at a time; the last sixteen overlap those before.
inline std::uint64_t hash_of(std::string_view name) noexcept {
    const auto size = name.size();
    const auto* at = name.data();
    if (size < 8) return mixed(short_word(name), size);
    if (size <= 16) return mixed(word_at(at), word_at(at + size - 8) + size);
    const auto* last = at + size - 16;
    auto hash = size;
    for (; at < last; at += 16) hash = mixed(word_at(at) ^ hash, word_at(at + 8));
    return mixed(word_at(last) ^ hash, word_at(last + 8));
}

/// Compares as `hash_of` reads: names of usual length cost a few loads, and no call.
inline bool same_name(const std::string& kept, std::string_view name) noexcept {
    const auto size = name.size();
    if (kept.size() != size) return false;
    const auto* a = kept.data();
    const auto* b = name.data();
    if (size < 8) return short_word(kept) == short_word(name);
    const auto differ = [&](std::size_t at) { return word_at(a + at) ^ word_at(b + at); };
    if (size <= 16) return (differ(0) | differ(size - 8)) == 0;
    for (std::size_t at = 0; at < size - 16; at += 16) {
        if ((differ(at) | differ(at + 8)) != 0) return false;
    }
    return (differ(size - 16) | differ(size - 8)) == 0;
}

}  // namespace waybill::memory
