#include "base64.hpp"
#include "byte_values.hpp"
#include "fault.hpp"
#include "integers.hpp"
#include "json_codec.hpp"
#include "json_parser.hpp"
#include "json_stream.hpp"
#include "wire_value.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {
namespace {

/// Tells RapidJSON the object depth-first. Functions return false after a failure, which `fault_`
/// then holds.
class json_writer {
public:
    explicit json_writer(byte_buffer& out)
        : out_(out), stream_(out), text_(stream_, &levels_, max_json_levels) {}

    bool write(const value_type& type, const void* object) {
        const std::size_t before = out_.size();
        if (write_value(type, object)) [[likely]] {
            stream_.finish();
            return true;
        }
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

    bool write_value(const value_type& type, const void* object) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
                return text_.Uint64(load_unsigned(object, type.size));
            case value_kind::signed_integer:
                return text_.Int64(load_signed(object, type.size));
            case value_kind::string:
                return write_string(*static_cast<const std::string*>(object));
            case value_kind::boolean:
                return text_.Bool(load_as<bool>(object));
            case value_kind::float32:
                return write_float(load_as<float>(object));
            case value_kind::float64:
                return text_.Double(load_as<double>(object)) || fail_infinite();
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
            case value_kind::borrowed_bytes:
                return write_bytes(bytes_of(type, object));
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

    bool fail_infinite() { return fail("JSON has no form for infinity or NaN"); }

    /// RapidJSON knows doubles only, and would write 0.1F as 0.10000000149011612.
    [[gnu::noinline]] bool write_float(float value) {
        if (!std::isfinite(value)) return fail_infinite();
        std::array<char, 32> digits{};
        const char* const end =
            std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        return text_.RawValue(digits.data(), static_cast<std::size_t>(end - digits.data()),
                              rapidjson::kNumberType);
    }

    bool write_string(std::string_view text) {
        const bool good = text_.String(text.data(), text.size()) && !stream_.is_cut();
        return good || fail("a string is not UTF-8");
    }

    bool write_enumeration(const value_type& type, const void* object) {
        const enumerator* const one = find_enumerator(type, object);
        return one != nullptr ? write_string(one->name) : fail("the value has no enumerator");
    }

    [[gnu::noinline]] bool write_bytes(std::span<const std::byte> bytes) {
        const std::size_t size = base64_size(bytes.size());
        byte_buffer& digits = json_scratch(size);
        auto* const at = reinterpret_cast<char*>(digits.room(size));
        encode_base64(bytes, at);
        return text_.String(at, size);
    }

    bool write_optional(const value_type& type, const void* object) {
        const void* const value = type.optional->get(object);
        return value == nullptr ? text_.Null() : write_value(*type.element, value);
    }

    [[gnu::noinline]] bool write_bits(const std::vector<bool>& bits) {
        if (depth_ == max_json_levels) return fail_depth();
        text_.StartArray();
        for (const bool bit : bits) text_.Bool(bit);
        return text_.EndArray();
    }

    bool fail_depth() { return fail("the value is nested deeper than 64 levels"); }

    [[gnu::noinline]] bool write_elements(const value_type& type, const void* first,
                                          std::size_t count) {
        if (depth_ == max_json_levels) return fail_depth();
        const auto* element = static_cast<const std::byte*>(first);
        ++depth_;
        text_.StartArray();
        for (std::size_t i = 0; i < count; ++i, element += type.element->size) {
            if (write_value(*type.element, element)) [[likely]]
                continue;
            fault_->in_element(i);
            return false;
        }
        --depth_;
        return text_.EndArray();
    }

    [[gnu::noinline]] bool write_aggregate(const value_type& type, const void* object) {
        if (depth_ == max_json_levels) return fail_depth();
        ++depth_;
        text_.StartObject();
        for (const field_info& one : type.fields) {
            const void* const value = one.of(object);
            // Where absence would be read as a value, null is written.
            if (one.absent_is_empty && one.type->optional->get(value) == nullptr) continue;
            text_.RawValue(one.key_text, one.name_size + 2, rapidjson::kStringType);
            if (write_value(*one.type, value)) [[likely]]
                continue;
            fault_->in_field(one.name());
            return false;
        }
        --depth_;
        return text_.EndObject();
    }

    [[gnu::noinline]] bool write_map(const value_type& type, const void* object) {
        if (depth_ == max_json_levels) return fail_depth();
        ++depth_;
        text_.StartObject();
        struct entry_writer {
            json_writer& writer;
            const value_type& element;
        } each{*this, *type.element};
        const auto write_entry = [](void* context, std::string_view key, const void* value) {
            auto& [writer, element] = *static_cast<entry_writer*>(context);
            if (!writer.write_string(key)) return false;
            if (writer.write_value(element, value)) return true;
            writer.fault_->in_key(key);
            return false;
        };
        if (!type.map->visit(object, write_entry, &each)) return false;
        --depth_;
        return text_.EndObject();
    }

    [[gnu::noinline]] bool write_variant(const value_type& type, const void* object) {
        if (depth_ == max_json_levels) return fail_depth();
        const std::size_t index = type.variant->index(object);
        if (index >= type.alternatives.size()) return fail("the variant holds no value");
        const alternative& one = type.alternatives[index];
        ++depth_;
        text_.StartObject();
        if (!write_string(one.name)) return false;
        if (!write_value(*one.type, type.variant->get(object))) {
            fault_->in_field(one.name);
            return false;
        }
        --depth_;
        return text_.EndObject();
    }

    [[gnu::noinline]] bool write_scalar(const scalar_hooks& scalar, const void* object) {
        std::string problem;
        wire_value wire{scalar, object, problem};
        return wire.is_alive() ? write_value(*scalar.written, wire.get()) : fail(problem);
    }

    byte_buffer& out_;
    json_levels levels_;
    json_stream stream_;
    json_text text_;
    std::size_t depth_ = 0;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace

std::expected<void, error> json_codec::encode(const value_type& type, const void* object,
                                              byte_buffer& out) const {
    json_writer writer{out};
    if (!writer.write(type, object)) [[unlikely]]
        return std::unexpected(writer.take_error());
    return {};
}

}  // namespace waybill
