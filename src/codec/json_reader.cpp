#include "json_reader.hpp"

#include "field_match.hpp"
#include "json_parser.hpp"
#include "json_scalars.hpp"
#include "json_skip.hpp"
#include <waybill/byte_buffer.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace waybill {
namespace {

namespace ondemand = simdjson::ondemand;

/// Goes through the text once, as On-Demand does. Functions return false after a failure, which
/// `failure_` then holds.
class json_reader : private json_scalars {
public:
    json_reader(ondemand::document&& document, std::string_view text) noexcept
        : json_scalars(text), document_(document) {}

    bool read_object(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::object members;
        if (const auto code = document_.get_object().get(members)) [[unlikely]]
            return fail_root(code, opened, "expected an object", "expected } at the end");
        return read_members(type, object, members, opened) && read_end();
    }

    [[gnu::noinline]] bool read_array(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::array elements;
        if (const auto code = document_.get_array().get(elements)) [[unlikely]]
            return fail_root(code, opened, "expected an array", "expected ] at the end");
        return read_elements(type, object, elements, opened) && read_end();
    }

    /// The text is an array made round one value.
    bool read_only_element(const value_type& type, void* object) {
        ondemand::array elements;
        if (document_.get_array().get(elements)) return failure_.at_end("expected one value");
        auto at = elements.begin().value_unsafe();
        const auto end = elements.end().value_unsafe();
        if (!(at != end)) return failure_.at_end("expected a value");
        ondemand::value only;
        if ((*at).get(only)) return failure_.here(document_, "expected a value");
        if (!read_value(type, object, only)) return false;
        ++at;
        return at != end ? failure_.here(document_, "expected one value") : read_end();
    }

    std::unexpected<error> take_error() { return std::unexpected(failure_.take()); }

private:
    bool read_end() {
        const char* place = nullptr;
        if (document_.current_location().get(place)) [[likely]]
            return true;
        return failure_.at(place, "expected nothing behind the value");
    }

    [[gnu::cold, gnu::noinline]] bool fail_root(simdjson::error_code code, const char* place,
                                                std::string_view type, std::string_view close) {
        return code == simdjson::INCORRECT_TYPE ? failure_.at(place, type)
                                                : failure_.unclosed(close);
    }

    // --- values

    /// As `read_value`, with the commonest kind in the caller's loop.
    [[gnu::always_inline]] bool read_quickly(const value_type& type, void* object,
                                             ondemand::value& from) {
        return type.kind == value_kind::unsigned_integer ? read_unsigned(type, object, from)
                                                         : read_value(type, object, from);
    }

    [[gnu::noinline]] bool read_value(const value_type& type, void* object, ondemand::value& from) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
                return read_unsigned(type, object, from);
            case value_kind::signed_integer:
                return read_signed(type, object, from);
            case value_kind::string:
                return read_string(object, from);
            case value_kind::boolean:
                return read_boolean(object, from);
            case value_kind::float32:
                return read_float<float>(object, from);
            case value_kind::float64:
                return read_float<double>(object, from);
            case value_kind::aggregate:
                return read_aggregate(type, object, from);
            case value_kind::optional:
                return read_optional(type, object, from);
            case value_kind::sequence:
            case value_kind::bits:
                return read_sequence(type, object, from);
            case value_kind::enumeration:
                return read_enumeration(type, object, from);
            case value_kind::bytes:
                return read_bytes(object, from);
            case value_kind::none:
                break;
        }
        return fail_at(from, "a type that cannot be read");
    }

    bool read_optional(const value_type& type, void* object, ondemand::value& from) {
        bool null = false;
        if (from.is_null().get(null)) return fail_at(from, "expected null");
        if (!null) return read_value(*type.element, type.optional->engage(object), from);
        type.optional->clear(object);
        return true;
    }

    // --- arrays

    [[gnu::noinline]] bool read_sequence(const value_type& type, void* object,
                                         ondemand::value& from) {
        ondemand::array elements;
        if (from.get_array().get(elements)) return fail_at(from, "expected an array");
        return read_elements(type, object, elements, place_of(from));
    }

    bool read_elements(const value_type& type, void* object, ondemand::array& elements,
                       const char* opened) {
        if (depth_ == max_json_depth) return failure_.at(opened, "expected at most 64 levels");
        ++depth_;
        const bool good = type.kind == value_kind::bits
                              ? read_bits(*static_cast<std::vector<bool>*>(object), elements)
                              : read_many(type, object, elements);
        --depth_;
        return good;
    }

    bool read_many(const value_type& type, void* object, ondemand::array& elements) {
        const sequence_hooks& hooks = *type.sequence;
        const std::size_t had = hooks.size(object);
        auto* element = static_cast<std::byte*>(hooks.data(object));
        std::size_t count = 0;
        const auto end = elements.end().value_unsafe();
        for (auto at = elements.begin().value_unsafe(); at != end; ++at, ++count) {
            ondemand::value from;
            if ((*at).get(from)) [[unlikely]]
                return failure_.here(document_, "expected a comma or ]");
            if (count >= had) element = static_cast<std::byte*>(hooks.extend(object));
            if (!read_value(*type.element, element, from)) [[unlikely]]
                return failure_.in_element(count);
            element += type.element->size;
        }
        if (count < had) hooks.truncate(object, count);
        return true;
    }

    [[gnu::noinline]] bool read_bits(std::vector<bool>& bits, ondemand::array& elements) {
        bits.clear();
        const auto end = elements.end().value_unsafe();
        for (auto at = elements.begin().value_unsafe(); at != end; ++at) {
            ondemand::value from;
            bool bit = false;
            if ((*at).get(from)) return failure_.here(document_, "expected a comma or ]");
            if (!read_boolean(&bit, from)) return failure_.in_element(bits.size());
            bits.push_back(bit);
        }
        return true;
    }

    // --- objects

    [[gnu::noinline]] bool read_aggregate(const value_type& type, void* object,
                                          ondemand::value& from) {
        ondemand::object members;
        if (from.get_object().get(members)) [[unlikely]]
            return fail_at(from, "expected an object");
        return read_members(type, object, members, place_of(from));
    }

    /// Keys mostly come in the order of the fields, so the next one is tried first.
    [[gnu::noinline]] bool read_members(const value_type& type, void* object,
                                        ondemand::object& members, const char* opened) {
        if (depth_ == max_json_depth) [[unlikely]]
            return failure_.at(opened, "expected at most 64 levels");
        const int outer = depth_++;
        const field_info* expected = type.fields.data();
        const field_info* const last = expected + type.fields.size();
        std::uint32_t expected_bit = 1;
        std::uint32_t seen = 0;
        const auto end = members.end().value_unsafe();
        for (auto at = members.begin().value_unsafe(); at != end; ++at) {
            auto next = *at;
            if (next.error()) [[unlikely]]
                return failure_.here(document_, "expected a key and its value, a comma or }");
            auto&& member = std::move(next).value_unsafe();
            const char* const key = member.key().raw();
            const field_info* known = expected;
            std::uint32_t bit = expected_bit;
            if (known == last || !matches_raw(*known, key)) [[unlikely]] {
                if (!find_field(type, member, known)) return false;
                if (known == nullptr) {
                    if (!skip_json(member.value(), depth_, failure_)) return false;
                    continue;
                }
                bit = std::uint32_t{1} << (known - type.fields.data());
            }
            if ((seen & bit) != 0) [[unlikely]] {
                failure_.at(key - 1, "field comes twice");
                return failure_.in_field(known->name());
            }
            seen |= bit;
            expected = known + 1;
            expected_bit = bit << 1;
            if (!read_quickly(*known->type, known->of(object), member.value())) [[unlikely]]
                return failure_.in_field(known->name());
        }
        depth_ = outer;
        const std::uint32_t absent = all_fields(type) & ~seen;
        return absent == 0 || finish_absent(type, object, absent, opened);
    }

    /// The field that the key names, or null. A key with escapes has to be read first.
    [[gnu::noinline]] bool find_field(const value_type& type, ondemand::field& member,
                                      const field_info*& known) {
        const char* const raw = member.key().raw();
        for (const field_info& candidate : type.fields) {
            known = &candidate;
            if (matches_raw(candidate, raw)) return true;
        }
        known = nullptr;
        const char* letter = raw;
        while (*letter != '"' && *letter != '\\') ++letter;
        if (*letter == '"') return true;
        std::string_view key;
        if (member.unescaped_key().get(key)) return failure_.at(raw - 1, "expected valid escapes");
        for (const field_info& candidate : type.fields)
            if (matches(candidate, key)) known = &candidate;
        return true;
    }

    [[gnu::noinline]] bool finish_absent(const value_type& type, void* object, std::uint32_t absent,
                                         const char* opened) {
        if (const std::uint32_t missing = absent & type.required; missing != 0)
            return failure_.saying(opened, missing_text(type, missing));
        fill_absent(type, object, absent);
        return true;
    }

    ondemand::document& document_;
    int depth_ = 0;
};

/// simdjson's first pass over `text`, behind which 64 bytes may be read.
[[gnu::always_inline]] inline simdjson::simdjson_result<ondemand::document> start(
    std::string_view text) {
    ondemand::parser* const parser = json_parser(text.size());
    if (parser == nullptr) [[unlikely]]
        return simdjson::MEMALLOC;
    return parser->iterate(
        simdjson::padded_string_view{text.data(), text.size(), text.size() + byte_buffer::padding});
}

[[gnu::cold, gnu::noinline]] std::unexpected<error> refuse(std::string_view text,
                                                           simdjson::error_code code) {
    json_failure failure{text};
    failure.whole_text(code);
    return std::unexpected(failure.take());
}

/// A value that is no object or array, read as the only element of an array: On-Demand takes such
/// roots by other functions, with limits of their own.
[[gnu::noinline]] std::expected<void, error> read_scalar(const value_type& type, void* object,
                                                         std::string_view payload) {
    byte_buffer& wrapped = json_scratch(payload.size() + 2);
    wrapped.append("[");
    wrapped.append(payload);
    wrapped.append("]");
    const std::string_view text{reinterpret_cast<const char*>(wrapped.data()), wrapped.size()};
    const std::string_view inside = text.substr(1, payload.size());
    auto document = start(text);
    if (document.error()) return refuse(inside, document.error());
    json_reader reader{std::move(document).value_unsafe(), inside};
    if (!reader.read_only_element(type, object)) return reader.take_error();
    return {};
}

[[gnu::noinline]] std::expected<void, error> read_array(const value_type& type, void* object,
                                                        std::string_view text) {
    auto document = start(text);
    if (document.error()) return refuse(text, document.error());
    json_reader reader{std::move(document).value_unsafe(), text};
    if (!reader.read_array(type, object)) return reader.take_error();
    return {};
}

}  // namespace

std::expected<void, error> read_json(const value_type& type, void* object,
                                     std::span<const std::byte> payload) {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    if (type.kind != value_kind::aggregate) [[unlikely]] {
        const bool array = type.kind == value_kind::sequence || type.kind == value_kind::bits;
        return array ? read_array(type, object, text) : read_scalar(type, object, text);
    }
    auto document = start(text);
    if (document.error()) [[unlikely]]
        return refuse(text, document.error());
    json_reader reader{std::move(document).value_unsafe(), text};
    if (!reader.read_object(type, object)) [[unlikely]]
        return reader.take_error();
    return {};
}

}  // namespace waybill
