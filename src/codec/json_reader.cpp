#include "json_reader.hpp"

#include "base64.hpp"
#include "fault.hpp"
#include "field_match.hpp"
#include "integers.hpp"
#include "json_number.hpp"
#include "json_string.hpp"
#include "utf8.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {
namespace {

/// Where the next token's offset stands in the index; null after a failure.
using cursor = const std::uint32_t*;

constexpr int max_depth = 64;

bool is_space(char letter) noexcept {
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/// Walks the index once. The cursor is passed and returned, not kept, so that it stays in a
/// register. Two offsets may be read behind the last: a text that ends early shows as a token that
/// is not what the grammar wants, or as a cursor that is not at the end when the value is.
class json_reader {
public:
    json_reader(std::span<const std::byte> payload, json_index index) noexcept
        : base_(reinterpret_cast<const char*>(payload.data())),
          end_(base_ + payload.size()),
          last_(index.last) {}

    bool read_root(const value_type& type, void* object, cursor next) {
        if (type.kind == value_kind::aggregate) [[likely]]
            next = read_aggregate(type, object, next);
        else
            next = read_other_root(type, object, next);
        if (next == nullptr) return false;
        if (next != last_) fail_at_token(next, "expected nothing behind the value");
        return next == last_;
    }

    error take_error() { return fault_->take(errc::decode); }

private:
    const char* at(cursor next) const noexcept { return base_ + *next; }

    [[gnu::cold, gnu::noinline]] cursor fail(const char* where, std::string_view expected) {
        const char* const shown = where < end_ ? where : end_;
        return fail_saying(shown, expected, std::string_view{shown, end_});
    }

    [[gnu::cold, gnu::noinline]] cursor fail_saying(const char* where, std::string_view what,
                                                    std::optional<std::string_view> found = {}) {
        fault_ = std::make_unique<fault>();
        const auto offset = static_cast<std::size_t>(where - base_);
        if (found)
            fault_->fail(offset, what, *found);
        else
            fault_->fail(offset, what);
        return nullptr;
    }

    [[gnu::cold, gnu::noinline]] cursor fail_at_token(cursor next, std::string_view expected) {
        return fail(next < last_ ? at(next) : end_, expected);
    }

    // --- values

    cursor read_value(const value_type& type, void* object, cursor next) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
            case value_kind::signed_integer:
                return read_integer(type, object, next);
            case value_kind::string:
                return read_string(object, next);
            case value_kind::boolean:
                return read_boolean(object, next);
            case value_kind::float32:
                return read_float<float>(object, next);
            case value_kind::float64:
                return read_float<double>(object, next);
            case value_kind::aggregate:
                return read_aggregate(type, object, next);
            case value_kind::optional:
                return read_optional(type, object, next);
            case value_kind::sequence:
                return read_sequence(type, object, next);
            case value_kind::enumeration:
                return read_enumeration(type, object, next);
            case value_kind::bytes:
                return read_bytes(object, next);
            case value_kind::bits:
                return read_bits(object, next);
            case value_kind::none:
                break;
        }
        return fail_at_token(next, "a type that cannot be read");
    }

    /// A number may end where the payload ends, and the bytes behind are not ours: reads a copy.
    [[gnu::noinline]] cursor read_other_root(const value_type& type, void* object, cursor next) {
        if (type.kind == value_kind::sequence || type.kind == value_kind::bits)
            return read_value(type, object, next);
        const char* const real_base = base_;
        const char* const real_end = end_;
        std::string copy(real_base, real_end);
        copy.append(64, '\0');
        base_ = copy.data();
        end_ = base_ + (real_end - real_base);
        next = read_value(type, object, next);
        base_ = real_base;
        end_ = real_end;
        return next;
    }

    /// Whether a number or literal may end at `end`, the token after it being `next`.
    bool ends_scalar(const char* end, cursor next) const noexcept {
        return end == at(next) || is_space(*end);
    }

    /// The common case of an integer: one to eight digits and no space behind them.
    bool read_short_integer(const value_type& type, void* object, cursor next) const noexcept {
        const char* const start = at(next);
        const std::uint32_t size = next[1] - next[0];
        std::uint64_t value = 0;
        if (size > 8 || !read_few_digits(start, size, value)) return false;
        if ((*start == '0' && size != 1) || value > type.largest) return false;
        store_integer(object, type.size, value);
        return true;
    }

    [[gnu::noinline]] cursor read_integer(const value_type& type, void* object, cursor next) {
        const char* const start = at(next);
        const bool negative = *start == '-' && type.smallest != 0;
        const char* const first = start + (negative ? 1 : 0);
        const digits found = read_digits(first);
        ++next;
        const std::uint64_t limit = negative ? type.smallest : type.largest;
        const bool leading_zero = *first == '0' && found.end != first + 1;
        if (found.end == first || leading_zero || !ends_scalar(found.end, next) || found.overflow ||
            found.value > limit) [[unlikely]]
            return fail_integer(type, start);
        store_integer(object, type.size, negative ? 0 - found.value : found.value);
        return next;
    }

    [[gnu::cold, gnu::noinline]] cursor fail_integer(const value_type& type, const char* start) {
        const char* const end = end_of_number(start);
        const bool whole = end != nullptr && std::string_view{start, end}.find_first_of(".eE") ==
                                                 std::string_view::npos;
        std::string expected = whole ? "expected a number that fits " : "expected an integer, ";
        if (whole)
            expected += type.name;
        else
            expected.resize(expected.size() - 2);
        return fail(start, expected);
    }

    template <class Number>
    [[gnu::noinline]] cursor read_float(void* object, cursor next) {
        const char* const start = at(next);
        const char* const end = end_of_number(start);
        ++next;
        if (end == nullptr || !ends_scalar(end, next)) return fail(start, "expected a number");
        Number value{};
        const auto parsed = std::from_chars(start, end, value);
        // Too small for the type is a zero; too large is an error, as infinity has no JSON form.
        if (parsed.ec == std::errc::result_out_of_range) {
            const double wide = std::strtod(std::string(start, end).c_str(), nullptr);
            if (std::abs(wide) > 1) return fail(start, "expected a number that fits");
            value = std::signbit(wide) ? -Number{} : Number{};
        }
        if (std::isinf(value)) return fail(start, "expected a number that fits");
        std::memcpy(object, &value, sizeof value);
        return next;
    }

    cursor read_boolean(void* object, cursor next) {
        const char* const start = at(next);
        const bool yes = std::memcmp(start, "true", 4) == 0;
        if (!yes && std::memcmp(start, "false", 5) != 0) return fail(start, "expected a boolean");
        if (!ends_scalar(start + (yes ? 4 : 5), ++next)) return fail(start, "expected a boolean");
        std::memcpy(object, &yes, sizeof yes);
        return next;
    }

    bool is_null(cursor next) const noexcept {
        const char* const start = at(next);
        return std::memcmp(start, "null", 4) == 0 && ends_scalar(start + 4, next + 1);
    }

    cursor read_optional(const value_type& type, void* object, cursor next) {
        if (is_null(next)) {
            type.optional->clear(object);
            return next + 1;
        }
        return read_value(*type.element, type.optional->engage(object), next);
    }

    // --- strings

    /// What stands between the quotes of the string token at `next`; false if it is no string.
    bool find_string(cursor next, std::string_view& inside) const noexcept {
        const char* const start = at(next);
        if (*start != '"') return false;
        const char* close = at(next + 1) - 1;
        while (is_space(*close)) --close;
        if (*close != '"' || close <= start) return false;
        inside = {start + 1, close};
        return true;
    }

    cursor read_string(void* object, cursor next) {
        std::string_view inside;
        if (!find_string(next, inside)) [[unlikely]]
            return fail_at_token(next, "expected a string");
        auto& text = *static_cast<std::string*>(object);
        if (has_escape(inside.data(), inside.size())) [[unlikely]] {
            if (!read_escaped(inside, text)) return nullptr;
        } else {
            text.assign(inside);
        }
        return next + 1;
    }

    [[gnu::noinline]] bool read_escaped(std::string_view inside, std::string& text) {
        text.resize(inside.size());
        std::size_t bad = 0;
        const char* const end = unescape(inside, text.data(), bad);
        if (end == nullptr) {
            fail(inside.data() + bad, "expected a valid escape");
            return false;
        }
        text.resize(static_cast<std::size_t>(end - text.data()));
        return true;
    }

    [[gnu::noinline]] cursor read_enumeration(const value_type& type, void* object, cursor next) {
        std::string_view name;
        if (find_string(next, name)) {
            std::string plain;
            if (has_escape(name.data(), name.size())) {
                if (!read_escaped(name, plain)) return nullptr;
                name = plain;
            }
            if (const enumerator* const one = find_enumerator(type, name)) {
                store_integer(object, type.size, static_cast<std::uint64_t>(one->value));
                return next + 1;
            }
        }
        return fail_at_token(next, "expected a name of " + std::string{type.name});
    }

    [[gnu::noinline]] cursor read_bytes(void* object, cursor next) {
        std::string_view inside;
        if (!find_string(next, inside)) return fail_at_token(next, "expected a base64 string");
        std::string plain;
        if (has_escape(inside.data(), inside.size())) {
            if (!read_escaped(inside, plain)) return nullptr;
            inside = plain;
        }
        if (!decode_base64(inside, *static_cast<std::vector<std::byte>*>(object)))
            return fail_at_token(next, "expected a base64 string");
        return next + 1;
    }

    // --- arrays

    /// Opens an array; sets `empty` when it holds nothing, and then the cursor is behind it.
    cursor open_array(cursor next, bool& empty) {
        if (*at(next) != '[') return fail_at_token(next, "expected an array");
        if (depth_ == max_depth) return fail_at_token(next, "expected at most 64 levels");
        ++next;
        empty = next < last_ && *at(next) == ']';
        return empty ? next + 1 : next;
    }

    [[gnu::noinline]] cursor read_sequence(const value_type& type, void* object, cursor next) {
        bool empty = false;
        next = open_array(next, empty);
        if (next == nullptr) return nullptr;
        const sequence_hooks& hooks = *type.sequence;
        std::size_t count = 0;
        const std::size_t had = hooks.size(object);
        auto* element = static_cast<std::byte*>(hooks.data(object));
        ++depth_;
        for (bool more = !empty; more; ++count) {
            if (count >= had) element = static_cast<std::byte*>(hooks.extend(object));
            next = read_element(*type.element, element, next, more);
            if (next == nullptr) [[unlikely]] {
                fault_->in_element(count);
                return nullptr;
            }
            element += type.element->size;
        }
        --depth_;
        if (count < had) hooks.truncate(object, count);
        return next;
    }

    /// One value and what follows it: a comma (`more`) or the end of the array.
    cursor read_element(const value_type& type, void* object, cursor next, bool& more) {
        if (last_ - next < 2) [[unlikely]]
            return fail(end_, "expected the rest of an array");
        next = read_quickly(type, object, next);
        if (next == nullptr) [[unlikely]]
            return nullptr;
        const char separator = *at(next);
        more = separator == ',';
        if (!more && separator != ']') [[unlikely]]
            return fail_at_token(next, "expected a comma or ]");
        return next + 1;
    }

    [[gnu::noinline]] cursor read_bits(void* object, cursor next) {
        bool empty = false;
        next = open_array(next, empty);
        if (next == nullptr) return nullptr;
        auto& bits = *static_cast<std::vector<bool>*>(object);
        bits.clear();
        static const value_type& boolean = value_type_of<bool>();
        for (bool more = !empty; more;) {
            bool bit = false;
            next = read_element(boolean, &bit, next, more);
            if (next == nullptr) {
                fault_->in_element(bits.size());
                return nullptr;
            }
            bits.push_back(bit);
        }
        return next;
    }

    // --- objects

    /// The field that the key at `next` names, when it is not the expected one or does not have its
    /// colon right behind; null when none is called so.
    [[gnu::noinline]] const field* find_field(const value_type& type, cursor next) {
        std::string_view key;
        if (!find_string(next, key)) return nullptr;
        std::string plain;
        if (has_escape(key.data(), key.size())) {
            if (!read_escaped(key, plain)) return nullptr;
            key = plain;
        }
        for (const field& candidate : type.fields)
            if (matches(candidate, key)) return &candidate;
        return nullptr;
    }

    [[gnu::noinline]] cursor read_aggregate(const value_type& type, void* object, cursor next) {
        if (*at(next) != '{') [[unlikely]]
            return fail_at_token(next, "expected an object");
        if (depth_ == max_depth) [[unlikely]]
            return fail_at_token(next, "expected at most 64 levels");
        ++depth_;
        const char* const open = at(next++);
        const field* expected = type.fields.data();
        std::uint32_t seen = 0;
        bool more = next >= last_ || *at(next) != '}';
        if (!more) ++next;
        while (more) {
            next = read_member(type, object, next, expected, seen);
            if (next == nullptr) [[unlikely]]
                return nullptr;
            const char separator = *at(next);
            more = separator == ',';
            if (!more && separator != '}') [[unlikely]]
                return fail_at_token(next, "expected a comma or }");
            ++next;
        }
        --depth_;
        const std::uint32_t absent = all_fields(type) & ~seen;
        return absent == 0 ? next : finish_absent(type, object, absent, open, next);
    }

    /// One key and its value. `expected` is the field after the last one that came.
    [[gnu::always_inline]] cursor read_member(const value_type& type, void* object, cursor next,
                                              const field*& expected, std::uint32_t& seen) {
        // A key, a colon, a value, and a comma or bracket.
        if (last_ - next < 4) [[unlikely]]
            return fail_short(next);
        const char* const key = at(next);
        const field* known = expected;
        const auto index = static_cast<std::size_t>(known - type.fields.data());
        if (index == type.fields.size() || !matches_quoted(*known, key)) [[unlikely]] {
            if (*key != '"') return fail_at_token(next, "expected a key");
            if (*at(next + 1) != ':') return fail_at_token(next + 1, "expected a colon");
            known = find_field(type, next);
            if (known == nullptr) return fault_ == nullptr ? skip_value(next + 2) : nullptr;
        }
        const auto bit = std::uint32_t{1} << (known - type.fields.data());
        if ((seen & bit) != 0) [[unlikely]]
            return fail_repeated(*known, key);
        seen |= bit;
        expected = known + 1;
        next = read_quickly(*known->type, known->of(object), next + 2);
        if (next == nullptr) [[unlikely]]
            fault_->in_field(known->name());
        return next;
    }

    /// As `read_value`, with the short integers here.
    [[gnu::always_inline]] cursor read_quickly(const value_type& type, void* object, cursor next) {
        const bool integer =
            type.kind == value_kind::unsigned_integer || type.kind == value_kind::signed_integer;
        if (integer && read_short_integer(type, object, next)) return next + 1;
        return read_value(type, object, next);
    }

    [[gnu::noinline]] cursor finish_absent(const value_type& type, void* object,
                                           std::uint32_t absent, const char* open, cursor next) {
        if (const std::uint32_t missing = absent & type.required; missing != 0)
            return fail_saying(open, missing_text(type, missing));
        fill_absent(type, object, absent);
        return next;
    }

    [[gnu::cold, gnu::noinline]] cursor fail_short(cursor next) {
        if (next < last_ && *at(next) != '"') return fail_at_token(next, "expected a key");
        return fail(end_, "expected the rest of an object");
    }

    [[gnu::cold, gnu::noinline]] cursor fail_repeated(const field& known, const char* key) {
        fail(key, "field comes twice");
        fault_->in_field(known.name());
        return nullptr;
    }

    /// Passes over one value. Brackets are matched; what is between them is not looked at.
    [[gnu::noinline]] cursor skip_value(cursor next) {
        const char first = *at(next);
        if (first == '{' || first == '[') return skip_container(next);
        if (first == ',' || first == ':' || first == '}' || first == ']') [[unlikely]]
            return fail_at_token(next, "expected a value");
        return next + 1;
    }

    cursor skip_container(cursor next) {
        std::uint64_t kinds = 0;  // one bit for each open bracket, 1 for a square one
        int depth = depth_;
        while (next < last_) {
            const char token = *at(next++);
            // All brackets are above the digits, quotes, commas and colons.
            if (token < '[') [[likely]]
                continue;
            const bool square = (token & 0x20) == 0;
            if (token == '{' || token == '[') {
                if (++depth > max_depth)
                    return fail_at_token(next - 1, "expected at most 64 levels");
                kinds = kinds << 1 | (square ? 1U : 0U);
            } else if (token == '}' || token == ']') {
                if ((kinds & 1U) != (square ? 1U : 0U))
                    return fail_at_token(next - 1, "expected the other bracket");
                kinds >>= 1;
                if (--depth == depth_) return next;
            }
        }
        return fail(end_, "expected the rest of a value");
    }

    const char* base_;
    const char* end_;
    cursor last_;
    int depth_ = 0;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

std::string_view explain(json_fault fault) noexcept {
    switch (fault) {
        case json_fault::empty:
            return "expected a value";
        case json_fault::not_utf8:
            return "expected UTF-8";
        case json_fault::unclosed_string:
            return "expected the end of a string";
        case json_fault::control_character:
            return "expected no raw control character in a string";
        case json_fault::too_large:
            return "expected less than 4 GiB";
        default:
            return "out of memory";
    }
}

[[gnu::cold, gnu::noinline]] error index_error(json_fault why, std::span<const std::byte> payload) {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    fault failure;
    if (why == json_fault::not_utf8) {
        const std::size_t place = find_bad_utf8(text);
        failure.fail(place, explain(why), text.substr(place));
    } else {
        failure.fail(why == json_fault::unclosed_string ? text.size() : 0, explain(why));
    }
    return failure.take(errc::decode);
}

}  // namespace

std::expected<void, error> read_json(const value_type& type, void* object,
                                     std::span<const std::byte> payload) {
    json_index index;
    if (const auto fault = index_json(payload, index); fault != json_fault::none) [[unlikely]]
        return std::unexpected(index_error(fault, payload));
    json_reader reader{payload, index};
    if (!reader.read_root(type, object, index.first)) [[unlikely]]
        return std::unexpected(reader.take_error());
    return {};
}

}  // namespace waybill
