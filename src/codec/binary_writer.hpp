/// Writes one object as one item by the table of its type, in any `Format`.
///
/// What a `Format` (binary_source.hpp) has for this: `put_unsigned`, `put_negative` (of -1 -
/// `number`), `put_boolean`, `put_null`, `put_time_tag`, `put_float`, `put_double`, and the heads
/// `put_bytes`, `put_text`, `put_array`, `put_map`. Each writes at most `head_size` bytes at its
/// first argument and returns their end. No length is above `max_count`. With `sorts_keys` the
/// members come in the order of their keys.
///
/// An optional without a value is left out of its map if it reads back so, and is null elsewhere.
#pragma once

#include "binary_source.hpp"
#include "byte_values.hpp"
#include "fault.hpp"
#include "integers.hpp"
#include "key_order.hpp"
#include "utf8.hpp"
#include "wire_value.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/error.hpp>
#include <waybill/fields.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill {

/// Functions return false after a failure, which `fault_` then holds.
template <class Format>
class binary_writer {
public:
    explicit binary_writer(byte_buffer& out) noexcept : out_(out) {}

    bool write(const value_type& type, const void* object) {
        const std::size_t before = out_.size();
        if (write_value(type, object)) return true;
        out_.resize(before);
        return false;
    }

    error take_error() { return fault_->take(errc::encode); }

private:
    [[gnu::cold, gnu::noinline]] bool fail(std::string_view what) {
        fault_ = std::make_unique<fault>();
        fault_->fail(0, what);
        return false;
    }

    bool fail_depth() { return fail("the value is nested deeper than 64 levels"); }

    /// Adds a value that is one head.
    template <auto Head, class... Value>
    bool put(Value... value) {
        out_.finish_at(Head(out_.room(Format::head_size), value...));
        return true;
    }

    bool countable(std::uint64_t count) {
        return count <= Format::max_count ||
               fail("a length is above " + std::to_string(Format::max_count));
    }

    /// Adds a head and the bytes that belong to it.
    template <auto Head>
    bool put_string(const void* from, std::size_t size) {
        if (!countable(size)) [[unlikely]]
            return false;
        std::byte* const at = Head(out_.room(Format::head_size + size), size);
        if (size != 0) std::memcpy(at, from, size);
        out_.finish_at(at + size);
        return true;
    }

    bool put_text(std::string_view text) {
        return put_string<Format::put_text>(text.data(), text.size());
    }

    bool write_value(const value_type& type, const void* object) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
                return put<Format::put_unsigned>(load_unsigned(object, type.size));
            case value_kind::signed_integer:
                return write_signed(load_signed(object, type.size));
            case value_kind::string:
                return write_string(*static_cast<const std::string*>(object));
            case value_kind::boolean:
                return put<Format::put_boolean>(load_as<bool>(object));
            case value_kind::float32:
                return put<Format::put_float>(one_nan(load_as<float>(object)));
            case value_kind::float64:
                return put<Format::put_double>(one_nan(load_as<double>(object)));
            case value_kind::aggregate:
                return write_aggregate(type, object);
            case value_kind::optional:
                return write_optional(type, object);
            case value_kind::sequence:
                // The hook takes a mutable sequence because readers need it so.
                return write_elements(type, type.sequence->data(const_cast<void*>(object)),
                                      type.sequence->size(object));
            case value_kind::array:
                return write_elements(type, object, type.length);
            case value_kind::enumeration:
                return write_enumeration(type, object);
            case value_kind::bytes:
            case value_kind::fixed_bytes:
            case value_kind::borrowed_bytes: {
                const auto bytes = bytes_of(type, object);
                return put_string<Format::put_bytes>(bytes.data(), bytes.size());
            }
            case value_kind::borrowed_string:
                return write_string(*static_cast<const std::string_view*>(object));
            case value_kind::map:
                return write_map(type, object);
            case value_kind::variant:
                return write_variant(type, object);
            case value_kind::scalar:
                return write_scalar(*type.scalar, object);
            case value_kind::bits:
                return write_bits(*static_cast<const std::vector<bool>*>(object));
            case value_kind::none:
            case value_kind::opaque:
                break;
        }
        return fail("a type that cannot be written");
    }

    /// A NaN's sign and payload mean nothing and differ between machines.
    template <class Number>
    static Number one_nan(Number value) noexcept {
        return std::isnan(value) ? std::numeric_limits<Number>::quiet_NaN() : value;
    }

    bool write_signed(std::int64_t value) {
        const auto bits = static_cast<std::uint64_t>(value);
        return value < 0 ? put<Format::put_negative>(~bits) : put<Format::put_unsigned>(bits);
    }

    bool write_string(std::string_view text) {
        return is_utf8(text) ? put_text(text) : fail("a string is not UTF-8");
    }

    bool write_bits(const std::vector<bool>& bits) {
        if (depth_ == max_binary_depth) return fail_depth();
        if (!countable(bits.size())) return false;
        put<Format::put_array>(bits.size());
        for (const bool bit : bits) put<Format::put_boolean>(bit);
        return true;
    }

    bool write_enumeration(const value_type& type, const void* object) {
        const enumerator* const one = find_enumerator(type, object);
        return one != nullptr ? put_text(one->name) : fail("the value has no enumerator");
    }

    bool write_optional(const value_type& type, const void* object) {
        const void* const value = type.optional->get(object);
        return value == nullptr ? put<Format::put_null>() : write_value(*type.element, value);
    }

    bool write_elements(const value_type& type, const void* first, std::size_t count) {
        if (depth_ == max_binary_depth) return fail_depth();
        const auto* element = static_cast<const std::byte*>(first);
        if (!countable(count)) return false;
        put<Format::put_array>(count);
        ++depth_;
        for (std::size_t i = 0; i < count; ++i, element += type.element->size) {
            if (write_value(*type.element, element)) continue;
            fault_->in_element(i);
            return false;
        }
        --depth_;
        return true;
    }

    /// A member without a value, when to leave it out says so too.
    static bool left_out(const field_info& one, const void* object) {
        return one.absent_is_empty && one.type->optional->get(one.of(object)) == nullptr;
    }

    bool write_aggregate(const value_type& type, const void* object) {
        if (depth_ == max_binary_depth) return fail_depth();
        std::size_t count = 0;
        for (const field_info& one : type.fields) count += left_out(one, object) ? 0 : 1;
        put<Format::put_map>(count);
        ++depth_;
        if constexpr (Format::sorts_keys) {
            for (const field_info* const one : key_order{type.fields})
                if (!write_field(*one, object)) return false;
        } else {
            for (const field_info& one : type.fields)
                if (!write_field(one, object)) return false;
        }
        --depth_;
        return true;
    }

    bool write_field(const field_info& one, const void* object) {
        if (left_out(one, object)) return true;
        put_text(one.name());
        if (write_value(*one.type, one.of(object))) return true;
        fault_->in_field(one.name());
        return false;
    }

    using entry = std::pair<std::string_view, const void*>;

    [[gnu::noinline]] bool write_map(const value_type& type, const void* object) {
        if (depth_ == max_binary_depth) return fail_depth();
        const std::size_t count = type.map->size(object);
        if (!countable(count)) return false;
        put<Format::put_map>(count);
        ++depth_;
        if (Format::sorts_keys ? !write_sorted(type, object) : !write_in_order(type, object))
            return false;
        --depth_;
        return true;
    }

    bool write_in_order(const value_type& type, const void* object) {
        struct visit {
            binary_writer& writer;
            const value_type& element;
        } each{*this, *type.element};
        const auto write_one = [](void* context, std::string_view key, const void* value) {
            const auto& [writer, element] = *static_cast<visit*>(context);
            return writer.write_entry(element, {key, value});
        };
        return type.map->visit(object, write_one, &each);
    }

    bool write_sorted(const value_type& type, const void* object) {
        std::vector<entry> all;
        const auto list = [](void* context, std::string_view key, const void* value) {
            static_cast<std::vector<entry>*>(context)->emplace_back(key, value);
            return true;
        };
        type.map->visit(object, list, &all);
        std::ranges::sort(all, key_before, &entry::first);
        return std::ranges::all_of(
            all, [&](const entry& one) { return write_entry(*type.element, one); });
    }

    bool write_entry(const value_type& element, const entry& one) {
        if (!write_string(one.first)) return false;
        if (write_value(element, one.second)) return true;
        fault_->in_key(one.first);
        return false;
    }

    [[gnu::noinline]] bool write_variant(const value_type& type, const void* object) {
        if (depth_ == max_binary_depth) return fail_depth();
        const std::size_t index = type.variant->index(object);
        if (index >= type.alternatives.size()) return fail("the variant holds no value");
        const alternative& one = type.alternatives[index];
        put<Format::put_map>(std::uint64_t{1});
        put_text(one.name);
        ++depth_;
        if (!write_value(*one.type, type.variant->get(object))) {
            fault_->in_field(one.name);
            return false;
        }
        --depth_;
        return true;
    }

    [[gnu::noinline]] bool write_scalar(const scalar_hooks& scalar, const void* object) {
        std::string problem;
        wire_value wire{scalar, object, problem};
        if (!wire.is_alive()) return fail(problem);
        if (scalar.is_time) put<Format::put_time_tag>();
        return write_value(*scalar.written, wire.get());
    }

    byte_buffer& out_;
    int depth_ = 0;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace waybill
