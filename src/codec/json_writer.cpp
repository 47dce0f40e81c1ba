#include "json_writer.hpp"

#include "base64.hpp"
#include "fault.hpp"
#include "integers.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {
namespace {

constexpr int max_depth = 64;
constexpr std::string_view hex = "0123456789abcdef";

char* put(char* out, std::string_view text) noexcept {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

constexpr std::array<char, 200> digit_pairs = [] {
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}();

constexpr std::array<std::uint64_t, 20> powers_of_ten = [] {
    std::array<std::uint64_t, 20> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
}();

/// How many decimal digits `value` has.
std::size_t digit_count(std::uint64_t value) noexcept {
    // A bit is 0.301 digits; the estimate is right or one too small.
    const auto estimate = static_cast<std::size_t>(std::bit_width(value | 1) * 1233) >> 12;
    return estimate + (value >= powers_of_ten[estimate] ? 1 : 0);
}

char* put_digits(char* out, std::uint64_t value) noexcept {
    char* const end = out + std::max<std::size_t>(digit_count(value), 1);
    char* at = end;
    for (; value >= 100; value /= 100) std::memcpy(at -= 2, &digit_pairs[value % 100 * 2], 2);
    if (value >= 10)
        std::memcpy(at - 2, &digit_pairs[value * 2], 2);
    else
        at[-1] = static_cast<char>('0' + value);
    return end;
}

char* put_signed(char* out, std::int64_t value) noexcept {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0) return put_digits(out, bits);
    *out = '-';
    return put_digits(out + 1, 0 - bits);
}

/// The letter after the backslash of a short escape, or 0.
char short_escape(char letter) noexcept {
    switch (letter) {
        case '"':
        case '\\':
            return letter;
        case '\b':
            return 'b';
        case '\f':
            return 'f';
        case '\n':
            return 'n';
        case '\r':
            return 'r';
        case '\t':
            return 't';
        default:
            return 0;
    }
}

bool needs_escape(char letter) noexcept {
    return static_cast<unsigned char>(letter) < 0x20 || letter == '"' || letter == '\\';
}

/// Whether one of eight characters needs an escape or is not ASCII.
bool is_special(std::uint64_t eight) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    const std::uint64_t quote = eight ^ ones * '"';
    const std::uint64_t slash = eight ^ ones * '\\';
    const std::uint64_t found = (eight - ones * 0x20) | (quote - ones) | (slash - ones) | eight;
    return (found & ones * 0x80) != 0;
}

/// Depth-first over the object. The end of the text is passed and returned; null is a failure.
class json_writer {
public:
    explicit json_writer(byte_buffer& out) noexcept : out_(out) {}

    bool write(const value_type& type, const void* object) {
        const std::size_t before = out_.size();
        char* const end = write_value(type, object, begin(0));
        if (end == nullptr) {
            out_.resize(before);
            return false;
        }
        out_.finish_at(reinterpret_cast<std::byte*>(end));
        return true;
    }

    error take_error() { return fault_->take(errc::encode); }

private:
    /// Room that every caller may use before asking again: a number, a literal, some brackets.
    static constexpr std::size_t slack = 48;

    char* room(char* end, std::size_t size) {
        if (limit_ - end >= static_cast<std::ptrdiff_t>(size + slack)) [[likely]]
            return end;
        return grow(end, size);
    }

    [[gnu::noinline]] char* grow(char* end, std::size_t size) {
        out_.finish_at(reinterpret_cast<std::byte*>(end));
        return begin(size);
    }

    /// The end of the buffer's content, with room.
    char* begin(std::size_t size) {
        char* const end = reinterpret_cast<char*>(out_.room(size + slack));
        limit_ = end + (out_.capacity() - out_.size());
        return end;
    }

    [[gnu::cold, gnu::noinline]] char* fail(std::string_view expected) {
        fault_ = std::make_unique<fault>();
        fault_->fail(0, expected);
        return nullptr;
    }

    char* write_value(const value_type& type, const void* object, char* out) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
                return put_digits(out, load_unsigned(object, type.size));
            case value_kind::signed_integer:
                return put_signed(out, load_signed(object, type.size));
            case value_kind::string:
                return write_string(*static_cast<const std::string*>(object), out);
            case value_kind::boolean:
                return put(out, load_as<bool>(object) ? "true" : "false");
            case value_kind::float32:
                return write_float(load_as<float>(object), out);
            case value_kind::float64:
                return write_float(load_as<double>(object), out);
            case value_kind::aggregate:
                return write_aggregate(type, object, out);
            case value_kind::optional:
                return write_optional(type, object, out);
            case value_kind::sequence:
                return write_sequence(type, object, out);
            case value_kind::enumeration:
                return write_enumeration(type, object, out);
            case value_kind::bytes:
                return write_bytes(*static_cast<const std::vector<std::byte>*>(object), out);
            case value_kind::bits:
                return write_bits(*static_cast<const std::vector<bool>*>(object), out);
            case value_kind::none:
                break;
        }
        return fail("a type that cannot be written");
    }

    template <class Number>
    char* write_float(Number value, char* out) {
        if (!std::isfinite(value)) return fail("JSON has no form for infinity or NaN");
        return std::to_chars(out, out + slack - 16, value).ptr;
    }

    char* write_string(std::string_view text, char* out) {
        // Every character may become six, and each round below writes eight.
        out = room(out, text.size() + 8);
        *out++ = '"';
        std::size_t at = 0;
        for (; at + 8 <= text.size(); at += 8) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, text.data() + at, 8);
            if (is_special(eight)) [[unlikely]]
                return write_special(text, at, out);
            std::memcpy(out, &eight, 8);
            out += 8;
        }
        for (; at < text.size(); ++at) {
            if (needs_escape(text[at]) || static_cast<unsigned char>(text[at]) >= 0x80) [[unlikely]]
                return write_special(text, at, out);
            *out++ = text[at];
        }
        *out++ = '"';
        return out;
    }

    /// From the first character that is not plain ASCII on.
    [[gnu::noinline]] char* write_special(std::string_view text, std::size_t at, char* out) {
        if (!is_utf8(text)) return fail("a string is not UTF-8");
        out = room(out, (text.size() - at) * 6);
        for (const char letter : text.substr(at)) {
            if (!needs_escape(letter)) {
                *out++ = letter;
            } else if (const char name = short_escape(letter); name != 0) {
                *out++ = '\\';
                *out++ = name;
            } else {
                out = put(out, "\\u00");
                *out++ = hex[static_cast<unsigned char>(letter) >> 4];
                *out++ = hex[letter & 0xf];
            }
        }
        *out++ = '"';
        return out;
    }

    char* write_enumeration(const value_type& type, const void* object, char* out) {
        const enumerator* const one = find_enumerator(type, object);
        if (one == nullptr) return fail("the value has no enumerator");
        return write_string(one->name, out);
    }

    char* write_bytes(const std::vector<std::byte>& bytes, char* out) {
        out = room(out, base64_size(bytes.size()) + 2);
        *out++ = '"';
        out = encode_base64(bytes, out);
        *out++ = '"';
        return out;
    }

    char* write_optional(const value_type& type, const void* object, char* out) {
        const void* const value = type.optional->get(object);
        return value == nullptr ? put(out, "null") : write_value(*type.element, value, out);
    }

    char* write_bits(const std::vector<bool>& bits, char* out) {
        out = room(out, bits.size() * 6 + 2);
        *out++ = '[';
        for (const bool bit : bits) out = put(out, bit ? "true," : "false,");
        if (!bits.empty()) --out;
        *out++ = ']';
        return out;
    }

    [[gnu::noinline]] char* write_sequence(const value_type& type, const void* object, char* out) {
        if (depth_ == max_depth) return fail("the value is nested deeper than 64 levels");
        const std::size_t count = type.sequence->size(object);
        // The hook takes a mutable sequence because readers need it so.
        const auto* element =
            static_cast<const std::byte*>(type.sequence->data(const_cast<void*>(object)));
        ++depth_;
        *out++ = '[';
        for (std::size_t i = 0; i < count; ++i, element += type.element->size) {
            out = write_value(*type.element, element, room(out, 0));
            if (out == nullptr) {
                fault_->in_element(i);
                return nullptr;
            }
            *out++ = ',';
        }
        --depth_;
        if (count != 0) --out;
        *out++ = ']';
        return out;
    }

    [[gnu::noinline]] char* write_aggregate(const value_type& type, const void* object, char* out) {
        if (depth_ == max_depth) return fail("the value is nested deeper than 64 levels");
        ++depth_;
        *out = '{';
        std::size_t opening = 1;  // the first key's comma becomes the bracket
        for (const field_info& one : type.fields) {
            const void* value = one.of(object);
            const value_type* value_type = one.type;
            if (value_type->kind == value_kind::optional) {
                value = value_type->optional->get(value);
                if (value == nullptr) continue;
                value_type = value_type->element;
            }
            out = write_key(one, room(out, one.name_size + 20), opening);
            opening = 0;
            out = write_value(*value_type, value, out);
            if (out == nullptr) {
                fault_->in_field(one.name());
                return nullptr;
            }
        }
        --depth_;
        out = room(out, 0);
        if (opening != 0) *out++ = '{';
        *out++ = '}';
        return out;
    }

    /// The comma, the quoted name and the colon; in blocks of 16, which the padding allows.
    static char* write_key(const field_info& one, char* out, std::size_t opening) noexcept {
        *out++ = opening != 0 ? '{' : ',';
        *out++ = '"';
        const std::size_t size = one.name_size + 1;
        for (std::size_t done = 0; done < size; done += 16)
            std::memcpy(out + done, one.key_text + done, 16);
        out[size] = ':';
        return out + size + 1;
    }

    byte_buffer& out_;
    char* limit_ = nullptr;
    int depth_ = 0;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace

std::expected<void, error> write_json(const value_type& type, const void* object,
                                      byte_buffer& out) {
    json_writer writer{out};
    if (!writer.write(type, object)) [[unlikely]]
        return std::unexpected(writer.take_error());
    return {};
}

}  // namespace waybill
