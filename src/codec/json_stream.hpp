/// What RapidJSON's Writer needs of this project: a stream that ends in a byte_buffer, and room for
/// its levels that is no allocation.
#pragma once

#include <waybill/byte_buffer.hpp>

// Names here and below are RapidJSON's.
// NOLINTBEGIN(readability-identifier-naming)

// Lengths of strings are 64 bits wide.
#define RAPIDJSON_NO_SIZETYPEDEFINE
#include <cstddef>
namespace rapidjson {
using SizeType = std::size_t;
}
// Its stack of levels adds to a null pointer before the first one.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/writer.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif

#include <array>
#include <cstdint>
#include <cstring>

namespace waybill {

inline constexpr std::size_t max_json_levels = 64;

/// RapidJSON's stream concept, for writing only. `finish` hands what was put over to the buffer.
class json_stream {
public:
    using Ch = char;

    explicit json_stream(byte_buffer& out) : out_(out) { begin(64); }

    void Put(char letter) {
        if (at_ == limit_) [[unlikely]]
            grow(1);
        *at_++ = letter;
    }
    void Flush() noexcept {}

    /// Where `size` characters may be put; `pushed` says where they end.
    char* push(std::size_t size) {
        if (static_cast<std::size_t>(limit_ - at_) < size) [[unlikely]]
            grow(size);
        return at_;
    }
    void pushed(char* end) noexcept { at_ = end; }

    /// Puts the characters at the front of `text` that stand for themselves, and returns how many.
    std::size_t put_plain(const char* text, std::size_t size) {
        char* const out = push(size);
        std::size_t done = 0;
        while (done + 8 <= size && put_word<std::uint64_t>(text + done, out + done)) done += 8;
        if (done + 4 <= size && put_word<std::uint32_t>(text + done, out + done)) done += 4;
        for (; done < size && !is_special(text[done]); ++done) out[done] = text[done];
        at_ += done;
        return done;
    }

    /// Whether a text ended within a character. RapidJSON looks at as many bytes as the first one
    /// announces, also behind the end.
    [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
    /// Whether the character at the front of the `left` bytes is whole.
    bool is_whole(char first, std::size_t left) noexcept {
        const auto code = static_cast<unsigned char>(first);
        const std::size_t size = code < 0xc0 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4;
        is_cut_ |= size > left;
        return size <= left;
    }

    void finish() noexcept { out_.finish_at(reinterpret_cast<const std::byte*>(at_)); }

private:
    static bool is_special(char letter) noexcept {
        const auto code = static_cast<unsigned char>(letter);
        return code < 0x20 || code >= 0x80 || letter == '"' || letter == '\\';
    }

    /// False when one of the characters may be special.
    template <class Word>
    static bool put_word(const char* from, char* to) noexcept {
        constexpr Word ones = static_cast<Word>(0x0101010101010101U);
        Word word = 0;
        std::memcpy(&word, from, sizeof word);
        const Word quote = word ^ ones * '"';
        const Word slash = word ^ ones * '\\';
        const Word found = (word - ones * 0x20) | (quote - ones) | (slash - ones) | word;
        std::memcpy(to, &word, sizeof word);
        return (found & ones * 0x80) == 0;
    }

    [[gnu::noinline]] void grow(std::size_t size) {
        finish();
        begin(size);
    }

    void begin(std::size_t size) {
        at_ = reinterpret_cast<char*>(out_.room(size));
        limit_ = at_ + (out_.capacity() - out_.size());
    }

    byte_buffer& out_;
    char* at_ = nullptr;
    char* limit_ = nullptr;
    bool is_cut_ = false;
};

/// RapidJSON's allocator concept, good for one stack of `max_json_levels`.
class json_levels {
public:
    static constexpr bool kNeedFree = false;

    void* Malloc(std::size_t size) noexcept { return size <= sizeof bytes_ ? &bytes_ : nullptr; }
    void* Realloc(void* /*old*/, std::size_t /*old_size*/, std::size_t size) noexcept {
        return Malloc(size);
    }
    static void Free(void* /*place*/) noexcept {}

private:
    alignas(16) std::array<std::byte, max_json_levels * 16> bytes_;  // content comes with use
};

/// Refuses strings that are not UTF-8, and infinity and NaN.
using json_text = rapidjson::Writer<json_stream, rapidjson::UTF8<>, rapidjson::UTF8<>, json_levels,
                                    rapidjson::kWriteValidateEncodingFlag>;

}  // namespace waybill

namespace rapidjson {

// The hooks by which RapidJSON spares its own StringBuffer a call for each character.

template <>
inline bool waybill::json_text::WriteUint64(std::uint64_t number) {
    os_->pushed(internal::u64toa(number, os_->push(20)));
    return true;
}

template <>
inline bool waybill::json_text::WriteInt64(std::int64_t number) {
    os_->pushed(internal::i64toa(number, os_->push(20)));
    return true;
}

template <>
inline bool waybill::json_text::WriteRawValue(const char* json, std::size_t length) {
    char* const out = os_->push(length);
    std::memcpy(out, json, length);
    os_->pushed(out + length);
    return true;
}

/// What is left here, one character of each round, goes through the Writer.
template <>
inline bool waybill::json_text::ScanWriteUnescapedString(GenericStringStream<UTF8<>>& is,
                                                         std::size_t length) {
    is.src_ += os_->put_plain(is.src_, length - is.Tell());
    const std::size_t left = length - is.Tell();
    return left != 0 && os_->is_whole(*is.src_, left);
}

}  // namespace rapidjson

// NOLINTEND(readability-identifier-naming)
