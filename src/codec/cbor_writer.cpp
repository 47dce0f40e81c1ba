#include "cbor_writer.hpp"

#include "fault.hpp"
#include "integers.hpp"
#include "utf8.hpp"

#include <cbor.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {
namespace {

constexpr int max_depth = 64;
constexpr std::size_t head_size = 9;

/// Functions return false after a failure, which `fault_` then holds.
class cbor_writer {
public:
    explicit cbor_writer(byte_buffer& out) noexcept : out_(out) {}

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

    /// Adds what one of libcbor's encoders makes of `value`.
    template <class Value>
    bool put_by(std::size_t (*encode)(Value, unsigned char*, std::size_t), Value value) {
        std::byte* const at = out_.room(head_size);
        out_.finish_at(at + encode(value, reinterpret_cast<unsigned char*>(at), head_size));
        return true;
    }

    bool put_null() {
        std::byte* const at = out_.room(head_size);
        out_.finish_at(at + cbor_encode_null(reinterpret_cast<unsigned char*>(at), head_size));
        return true;
    }

    bool write_value(const value_type& type, const void* object) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
                return put_by(cbor_encode_uint, load_unsigned(object, type.size));
            case value_kind::signed_integer:
                return write_signed(load_signed(object, type.size));
            case value_kind::string:
                return write_string(*static_cast<const std::string*>(object));
            case value_kind::boolean:
                return put_by(cbor_encode_bool, load_as<bool>(object));
            case value_kind::float32:
                return put_by(cbor_encode_single, one_nan(load_as<float>(object)));
            case value_kind::float64:
                return put_by(cbor_encode_double, one_nan(load_as<double>(object)));
            case value_kind::aggregate:
                return write_aggregate(type, object);
            case value_kind::optional:
                return write_optional(type, object);
            case value_kind::sequence:
                return write_sequence(type, object);
            case value_kind::enumeration:
                return write_enumeration(type, object);
            case value_kind::bytes: {
                const auto& bytes = *static_cast<const std::vector<std::byte>*>(object);
                put_by(cbor_encode_bytestring_start, bytes.size());
                out_.append(bytes.data(), bytes.size());
                return true;
            }
            case value_kind::bits: {
                const auto& bits = *static_cast<const std::vector<bool>*>(object);
                put_by(cbor_encode_array_start, bits.size());
                for (const bool bit : bits) put_by(cbor_encode_bool, bit);
                return true;
            }
            default:
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
        return value < 0 ? put_by(cbor_encode_negint, ~bits) : put_by(cbor_encode_uint, bits);
    }

    bool put_text(std::string_view text) {
        put_by(cbor_encode_string_start, text.size());
        out_.append(text);
        return true;
    }

    bool write_string(std::string_view text) {
        return is_utf8(text) ? put_text(text) : fail("a string is not UTF-8");
    }

    bool write_enumeration(const value_type& type, const void* object) {
        const enumerator* const one = find_enumerator(type, object);
        return one != nullptr ? put_text(one->name) : fail("the value has no enumerator");
    }

    bool write_optional(const value_type& type, const void* object) {
        const void* const value = type.optional->get(object);
        return value == nullptr ? put_null() : write_value(*type.element, value);
    }

    bool write_sequence(const value_type& type, const void* object) {
        if (depth_ == max_depth) return fail("the value is nested deeper than 64 levels");
        const std::size_t count = type.sequence->size(object);
        // The hook takes a mutable sequence because readers need it so.
        const auto* element =
            static_cast<const std::byte*>(type.sequence->data(const_cast<void*>(object)));
        ++depth_;
        put_by(cbor_encode_array_start, count);
        for (std::size_t i = 0; i < count; ++i, element += type.element->size) {
            if (write_value(*type.element, element)) continue;
            fault_->in_element(i);
            return false;
        }
        --depth_;
        return true;
    }

    /// The value of a member, or null when it is an optional without one.
    static const void* present(const field_info& one, const void* object) {
        const void* const member = one.of(object);
        return one.type->kind == value_kind::optional ? one.type->optional->get(member) : member;
    }

    bool write_aggregate(const value_type& type, const void* object) {
        if (depth_ == max_depth) return fail("the value is nested deeper than 64 levels");
        std::size_t count = 0;
        for (const field_info& one : type.fields) count += present(one, object) != nullptr ? 1 : 0;
        ++depth_;
        put_by(cbor_encode_map_start, count);
        for (const field_info& one : type.fields) {
            const void* const value = present(one, object);
            if (value == nullptr) continue;
            put_text(one.name());
            const bool optional = one.type->kind == value_kind::optional;
            if (write_value(optional ? *one.type->element : *one.type, value)) continue;
            fault_->in_field(one.name());
            return false;
        }
        --depth_;
        return true;
    }

    byte_buffer& out_;
    int depth_ = 0;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace

std::expected<void, error> write_cbor(const value_type& type, const void* object,
                                      byte_buffer& out) {
    cbor_writer writer{out};
    if (!writer.write(type, object)) [[unlikely]]
        return std::unexpected(writer.take_error());
    return {};
}

}  // namespace waybill
