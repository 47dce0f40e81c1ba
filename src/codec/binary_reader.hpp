/// Reads one item into one object by the table of its type, in any `Format` (binary_source.hpp).
#pragma once

#include "binary_skip.hpp"
#include "binary_source.hpp"
#include "byte_values.hpp"
#include "field_match.hpp"
#include "integers.hpp"
#include "set_text.hpp"
#include "utf8.hpp"
#include "wire_value.hpp"
#include <waybill/arena.hpp>
#include <waybill/error.hpp>
#include <waybill/fields.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

/// Functions return false after a failure, which `from_` then holds.
template <class Format>
class binary_reader {
public:
    binary_reader(std::span<const std::byte> payload, arena& kept) noexcept
        : from_(payload), kept_(kept), budget_(payload.size()) {}

    bool read_root(const value_type& type, void* object) {
        return from_.next() && read_value(type, object) && from_.at_end();
    }

    error take_error() { return from_.take_error(); }

private:
    static constexpr std::uint64_t until_stop = ~std::uint64_t{0};

    const binary_item& item() const noexcept { return from_.item(); }

    [[gnu::cold, gnu::noinline]] bool fail(std::string_view expected) {
        return from_.fail(expected);
    }

    // --- values: each takes the item in `item()`, and more behind it if it has more

    bool read_value(const value_type& type, void* object) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
            case value_kind::signed_integer:
                return read_integer(type, object);
            case value_kind::string:
                return read_string(*static_cast<std::string*>(object));
            case value_kind::boolean:
                return read_boolean(object);
            case value_kind::float32:
                return read_float<float>(object);
            case value_kind::float64:
                return read_float<double>(object);
            case value_kind::aggregate:
                return read_aggregate(type, object);
            case value_kind::optional:
                return read_optional(type, object);
            case value_kind::sequence:
                return read_sequence(type, object);
            case value_kind::enumeration:
                return read_enumeration(type, object);
            case value_kind::bytes:
            case value_kind::fixed_bytes:
            case value_kind::borrowed_bytes:
                return read_bytes(type, object);
            case value_kind::bits:
                return read_bits(*static_cast<std::vector<bool>*>(object));
            case value_kind::borrowed_string:
                return read_borrowed(*static_cast<std::string_view*>(object));
            case value_kind::array:
                return read_array(type, object);
            case value_kind::map:
                return read_map(type, object);
            case value_kind::variant:
                return read_variant(type, object);
            case value_kind::scalar:
                return read_scalar(*type.scalar, object);
            case value_kind::none:
            case value_kind::opaque:
                break;
        }
        return fail("a type that cannot be read");
    }

    bool read_integer(const value_type& type, void* object) {
        const std::uint64_t number = item().number;
        if (item().kind == binary_kind::unsigned_integer) {
            if (number > type.largest) return fail_range(type);
            store_integer(object, type.size, number);
            return true;
        }
        if (item().kind != binary_kind::negative_integer) return fail("expected an integer");
        // -1 - number: the magnitude of the smallest value is one more than the largest number.
        if (number >= type.smallest) return fail_range(type);
        store_integer(object, type.size, ~number);
        return true;
    }

    [[gnu::cold, gnu::noinline]] bool fail_range(const value_type& type) {
        std::string expected = "expected a number that fits ";
        return from_.fail(expected.append(type.name));
    }

    bool read_boolean(void* object) {
        if (item().kind != binary_kind::boolean) return fail("expected a boolean");
        const bool yes = item().number != 0;
        std::memcpy(object, &yes, sizeof yes);
        return true;
    }

    template <class Number>
    [[gnu::noinline]] bool read_float(void* object) {
        Number value = 0;  // rounded once
        switch (item().kind) {
            case binary_kind::floating:
                value = static_cast<Number>(item().real);
                if (std::isinf(value) && !std::isinf(item().real))
                    return fail("expected a number that fits");
                break;
            case binary_kind::unsigned_integer:
                value = static_cast<Number>(item().number);
                break;
            case binary_kind::negative_integer:
                value = item().number == ~std::uint64_t{0}
                            ? static_cast<Number>(-0x1p64)
                            : -static_cast<Number>(item().number + 1);
                break;
            default:
                return fail("expected a number");
        }
        std::memcpy(object, &value, sizeof value);
        return true;
    }

    [[gnu::noinline]] bool read_optional(const value_type& type, void* object) {
        if (item().kind == binary_kind::null) {
            type.optional->clear(object);
            return true;
        }
        return budget_.take(type.element->default_bytes)
                   ? read_value(*type.element, type.optional->engage(object))
                   : fail_memory();
    }

    [[gnu::noinline]] bool read_scalar(const scalar_hooks& scalar, void* object) {
        const char* const start = from_.start();
        wire_value wire{*scalar.read};
        if (!read_value(*scalar.read, wire.get())) return false;
        std::string problem;
        return scalar.from_wire(object, wire.get(), problem) || from_.fail_at(start, problem);
    }

    // --- strings

    bool read_string(std::string& text) {
        if (item().kind == binary_kind::text) [[likely]] {
            if (!is_utf8(item().content)) return fail("expected UTF-8");
            set_text(text, item().content);
            return true;
        }
        if (item().kind != binary_kind::text_begin) return fail("expected a text string");
        return join_chunks(text);
    }

    [[gnu::noinline]] bool join_chunks(std::string& text) {
        text.clear();
        return from_.read_chunks(binary_kind::text, [&](std::string_view chunk) { text += chunk; });
    }

    /// Text that views the payload, or the arena when it came in chunks.
    [[gnu::noinline]] bool read_borrowed(std::string_view& text) {
        if (item().kind == binary_kind::text) {
            text = item().content;
            return is_utf8(text) || fail("expected UTF-8");
        }
        std::string joined;
        if (!read_string(joined)) return false;
        text = kept_.keep(joined);
        return true;
    }

    [[gnu::noinline]] bool read_bytes(const value_type& type, void* object) {
        const char* const start = from_.start();
        if (item().kind == binary_kind::bytes) {
            const std::string_view content = item().content;
            if (type.kind != value_kind::borrowed_bytes)
                return take_bytes(type, object, content, start);
            *static_cast<std::span<const std::byte>*>(object) = std::as_bytes(std::span{content});
            return true;
        }
        if (item().kind != binary_kind::bytes_begin) return fail("expected a byte string");
        std::string joined;
        return from_.read_chunks(binary_kind::bytes, [&](std::string_view chunk) {
            joined += chunk;
        }) && take_bytes(type, object, joined, start);
    }

    bool take_bytes(const value_type& type, void* object, std::string_view content,
                    const char* start) {
        std::byte* const at = make_room(type, object, content.size(), kept_);
        if (at == nullptr)
            return from_.fail_at(start, "expected " + std::to_string(type.length) + " bytes");
        if (!content.empty()) std::memcpy(at, content.data(), content.size());
        return true;
    }

    [[gnu::noinline]] bool read_enumeration(const value_type& type, void* object) {
        const char* const start = from_.start();
        std::string joined;
        std::string_view name = item().content;
        if (item().kind != binary_kind::text) {
            if (!read_string(joined)) return false;
            name = joined;
        }
        const enumerator* const one = find_enumerator(type, name);
        if (one == nullptr)
            return from_.fail_at(start, "expected a name of " + std::string{type.name});
        store_integer(object, type.size, static_cast<std::uint64_t>(one->value));
        return true;
    }

    // --- arrays

    /// Elements or pairs of what `item()` opens, or `until_stop`.
    bool open(binary_kind definite, binary_kind indefinite, std::string_view expected,
              std::uint64_t& count) {
        if (item().kind == definite) [[likely]] {
            count = item().number;
            if (!from_.can_hold(count)) return false;
        } else if (item().kind == indefinite) {
            count = until_stop;
        } else {
            return fail(expected);
        }
        return depth_ < max_binary_depth || from_.fail_depth();
    }

    /// Takes the next element or key into `item()`; `more` is false at the end.
    bool next_in(std::uint64_t& left, bool& more) {
        more = left != 0;
        if (!more) return true;
        if (!from_.next()) return false;
        if (left != until_stop) {
            --left;
        } else {
            more = item().kind != binary_kind::stop;
        }
        return true;
    }

    [[gnu::noinline]] bool read_sequence(const value_type& type, void* object) {
        std::uint64_t left = 0;
        if (!open(binary_kind::array, binary_kind::array_begin, "expected an array", left))
            return false;
        const sequence_hooks& hooks = *type.sequence;
        const std::size_t had = hooks.size(object);
        if (left > had && left != until_stop) hooks.reserve(object, left, budget_);
        auto* element = static_cast<std::byte*>(hooks.data(object));
        std::size_t count = 0;
        ++depth_;
        for (bool more = false;; ++count) {
            if (!next_in(left, more)) return from_.in_element(count);
            if (!more) break;
            if (count >= had) {
                element = budget_.take(type.element->default_bytes)
                              ? static_cast<std::byte*>(hooks.extend(object, budget_))
                              : nullptr;
                if (element == nullptr) return fail_memory() || from_.in_element(count);
            }
            if (!read_value(*type.element, element)) return from_.in_element(count);
            element += type.element->size;
        }
        --depth_;
        if (count < had) hooks.truncate(object, count);
        return true;
    }

    [[gnu::cold, gnu::noinline]] bool fail_memory() {
        return from_.fail_saying(from_.start(), over_budget);
    }

    [[gnu::noinline]] bool read_array(const value_type& type, void* object) {
        const char* const opened = from_.start();
        std::uint64_t left = 0;
        if (!open(binary_kind::array, binary_kind::array_begin, "expected an array", left))
            return false;
        auto* element = static_cast<std::byte*>(object);
        ++depth_;
        std::uint32_t count = 0;
        for (bool more = false;; ++count) {
            if (!next_in(left, more)) return from_.in_element(count);
            if (!more) break;
            if (count == type.length) return fail(length_text(type));
            if (!read_value(*type.element, element)) return from_.in_element(count);
            element += type.element->size;
        }
        --depth_;
        return count == type.length || from_.fail_saying(opened, length_text(type, count));
    }

    [[gnu::noinline]] bool read_bits(std::vector<bool>& bits) {
        std::uint64_t left = 0;
        if (!open(binary_kind::array, binary_kind::array_begin, "expected an array", left))
            return false;
        bits.clear();
        for (bool more = false;;) {
            bool bit = false;
            if (!next_in(left, more)) return from_.in_element(bits.size());
            if (!more) return true;
            if (!read_boolean(&bit)) return from_.in_element(bits.size());
            bits.push_back(bit);
        }
    }

    // --- maps

    /// Puts a key of chunks together, and behind it the bytes that `matches` may read.
    [[gnu::noinline]] bool read_joined_key(std::string_view& key, std::string& joined) {
        if (item().kind != binary_kind::text_begin) return fail("expected a text key");
        if (!join_chunks(joined)) return false;
        const std::size_t size = joined.size();
        joined.append(8, '\0');
        key = std::string_view{joined}.substr(0, size);
        return true;
    }

    [[gnu::noinline]] static const field_info* find_field(const value_type& type,
                                                          std::string_view key) {
        for (const field_info& candidate : type.fields)
            if (matches(candidate, key)) return &candidate;
        return nullptr;
    }

    [[gnu::noinline]] bool skip_unknown(std::string_view key) {
        if (!is_utf8(key)) return fail("expected UTF-8");
        return from_.next_or_tag() && skip_value(from_, depth_);
    }

    [[gnu::noinline]] bool read_aggregate(const value_type& type, void* object) {
        const char* const opened = from_.start();
        std::uint64_t left = 0;
        if (!open(binary_kind::map, binary_kind::map_begin, "expected a map", left)) return false;
        const field_info* expected = type.fields.data();
        const field_info* const last = expected + type.fields.size();
        std::uint32_t expected_bit = 1;
        std::uint32_t seen = 0;
        ++depth_;
        for (bool more = false;;) {
            if (!next_in(left, more)) return false;
            if (!more) break;
            const char* const key_start = from_.start();
            std::string_view key = item().content;
            if (item().kind != binary_kind::text) [[unlikely]] {
                if (!read_joined_key(key, joined_key_)) return false;
            }
            const field_info* known = expected;
            std::uint32_t bit = expected_bit;
            if (known == last || !matches(*known, key)) [[unlikely]] {
                known = find_field(type, key);
                if (known == nullptr) {
                    if (type.is_closed) return from_.fail_at(key_start, unknown_field);
                    if (!skip_unknown(key)) return false;
                    continue;
                }
                bit = std::uint32_t{1} << (known - type.fields.data());
            }
            if ((seen & bit) != 0) {
                from_.fail_at(key_start, "field comes twice");
                return from_.in_field(known->name());
            }
            seen |= bit;
            expected = known + 1;
            expected_bit = bit << 1;
            if (!from_.next() || !read_value(*known->type, known->of(object)))
                return from_.in_field(known->name());
        }
        --depth_;
        const std::uint32_t absent = type.members & ~seen;
        return absent == 0 || finish_absent(type, object, absent, opened);
    }

    [[gnu::noinline]] bool finish_absent(const value_type& type, void* object, std::uint32_t absent,
                                         const char* opened) {
        if (const std::uint32_t missing = absent & type.required; missing != 0)
            return from_.fail_saying(opened, missing_text(type, missing));
        return fill_absent(type, object, absent, budget_) || fail_memory();
    }

    // --- maps and variants, whose keys are data

    /// The key in `item()`, which `joined` holds if it came in chunks. Another one may come while
    /// its value is read.
    bool read_key(std::string_view& key, std::string& joined) {
        key = item().content;
        if (item().kind == binary_kind::text) return is_utf8(key) || fail("expected UTF-8");
        return read_joined_key(key, joined);
    }

    [[gnu::noinline]] bool read_map(const value_type& type, void* object) {
        std::uint64_t left = 0;
        if (!open(binary_kind::map, binary_kind::map_begin, "expected a map", left)) return false;
        type.map->clear(object);
        std::string joined;
        ++depth_;
        for (bool more = false;;) {
            if (!next_in(left, more)) return false;
            if (!more) break;
            const char* const start = from_.start();
            std::string_view key;
            if (!read_key(key, joined)) return false;
            if (!budget_.take(type.element->default_bytes)) return fail_memory();
            const auto [value, is_new] = type.map->insert(object, key, budget_);
            if (value == nullptr) return fail_memory();
            if (!is_new) return from_.fail_at(start, "key comes twice");
            if (!from_.next() || !read_value(*type.element, value)) return from_.in_key(key);
        }
        --depth_;
        return true;
    }

    [[gnu::noinline]] bool read_variant(const value_type& type, void* object) {
        std::uint64_t left = 0;
        if (!open(binary_kind::map, binary_kind::map_begin, "expected a map", left)) return false;
        const char* const opened = from_.start();
        std::string joined;
        ++depth_;
        bool more = false;
        if (!next_in(left, more)) return false;
        if (!more) return from_.fail_saying(opened, one_alternative);
        const char* const start = from_.start();
        std::string_view key;
        if (!read_key(key, joined)) return false;
        const std::size_t chosen = find_alternative(type, key);
        if (chosen == type.alternatives.size())
            return from_.fail_at(start, alternatives_text(type));
        if (!budget_.take(type.alternatives[chosen].type->default_bytes)) return fail_memory();
        void* const value = type.variant->select(object, chosen);
        if (!from_.next() || !read_value(*type.alternatives[chosen].type, value))
            return from_.in_field(type.alternatives[chosen].name);
        --depth_;
        if (!next_in(left, more)) return false;
        return !more || fail(one_alternative);
    }

    binary_source<Format> from_;
    arena& kept_;
    memory_budget budget_;
    std::string joined_key_;
    int depth_ = 0;
};

}  // namespace waybill
