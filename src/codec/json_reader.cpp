#include "json_reader.hpp"

#include "field_match.hpp"
#include "json_parser.hpp"
#include "json_scalars.hpp"
#include "json_skip.hpp"
#include "wire_value.hpp"
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
    json_reader(ondemand::document&& document, std::string_view text, arena& kept) noexcept
        : json_scalars(text, kept), document_(document), budget_(text.size()) {}

    bool read_object(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::object members;
        if (const auto code = document_.get_object().get(members)) [[unlikely]]
            return fail_root(code, opened, "expected an object", "expected } at the end");
        return read_members(type, object, members, opened) && read_end();
    }

    [[gnu::noinline]] bool read_map_or_variant(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::object members;
        if (const auto code = document_.get_object().get(members))
            return fail_root(code, opened, "expected an object", "expected } at the end");
        const bool good = type.kind == value_kind::map
                              ? read_entries(type, object, members, opened)
                              : read_alternative(type, object, members, opened);
        return good && read_end();
    }

    [[gnu::noinline]] bool read_list(const value_type& type, void* object) {
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
            case value_kind::array:
            case value_kind::bits:
                return read_sequence(type, object, from);
            case value_kind::enumeration:
                return read_enumeration(type, object, from);
            case value_kind::bytes:
            case value_kind::fixed_bytes:
            case value_kind::borrowed_bytes:
                return read_bytes(type, object, from);
            case value_kind::borrowed_string:
                return read_borrowed(*static_cast<std::string_view*>(object), from);
            case value_kind::map:
                return read_map(type, object, from);
            case value_kind::variant:
                return read_variant(type, object, from);
            case value_kind::scalar:
                return read_scalar(*type.scalar, object, from);
            case value_kind::none:
            case value_kind::opaque:
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

    [[gnu::noinline]] bool read_scalar(const scalar_hooks& scalar, void* object,
                                       ondemand::value& from) {
        wire_value wire{*scalar.read};
        if (!read_value(*scalar.read, wire.get(), from)) return false;
        std::string problem;
        return scalar.from_wire(object, wire.get(), problem) || fail_at(from, problem);
    }

    bool fail_memory(const char* place) { return failure_.saying(place, over_budget); }

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
        const bool good = type.kind == value_kind::sequence ? read_many(type, object, elements)
                          : type.kind == value_kind::array
                              ? read_array(type, object, elements, opened)
                              : read_bits(*static_cast<std::vector<bool>*>(object), elements);
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
            if (count >= had) {
                element = static_cast<std::byte*>(hooks.extend(object, budget_));
                if (element == nullptr) [[unlikely]]
                    return fail_memory(place_of(from)) || failure_.in_element(count);
            }
            if (!read_value(*type.element, element, from)) [[unlikely]]
                return failure_.in_element(count);
            element += type.element->size;
        }
        if (count < had) hooks.truncate(object, count);
        return true;
    }

    [[gnu::noinline]] bool read_array(const value_type& type, void* object,
                                      ondemand::array& elements, const char* opened) {
        auto* element = static_cast<std::byte*>(object);
        std::uint32_t count = 0;
        const auto end = elements.end().value_unsafe();
        for (auto at = elements.begin().value_unsafe(); at != end; ++at, ++count) {
            ondemand::value from;
            if ((*at).get(from)) return failure_.here(document_, "expected a comma or ]");
            if (count == type.length) return failure_.at(place_of(from), length_text(type));
            if (!read_value(*type.element, element, from)) return failure_.in_element(count);
            element += type.element->size;
        }
        return count == type.length || failure_.saying(opened, length_text(type, count));
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
                    if (type.is_closed) return failure_.at(key - 1, unknown_field);
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
        const std::uint32_t absent = type.members & ~seen;
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

    // --- maps and variants, which are objects whose keys are data

    [[gnu::noinline]] bool read_map(const value_type& type, void* object, ondemand::value& from) {
        ondemand::object members;
        if (from.get_object().get(members)) return fail_at(from, "expected an object");
        return read_entries(type, object, members, place_of(from));
    }

    bool read_entries(const value_type& type, void* object, ondemand::object& members,
                      const char* opened) {
        if (depth_ == max_json_depth) return failure_.at(opened, "expected at most 64 levels");
        ++depth_;
        type.map->clear(object);
        const auto end = members.end().value_unsafe();
        for (auto at = members.begin().value_unsafe(); at != end; ++at) {
            ondemand::field member;
            const char* start = nullptr;
            std::string_view key;
            if (!take_member(*at, member, start, key)) return false;
            const auto [value, is_new] = type.map->insert(object, key, budget_);
            if (value == nullptr) return fail_memory(start);
            if (!is_new) return failure_.at(start, "key comes twice");
            if (!read_value(*type.element, value, member.value())) return failure_.in_key(key);
        }
        --depth_;
        return true;
    }

    [[gnu::noinline]] bool read_variant(const value_type& type, void* object,
                                        ondemand::value& from) {
        ondemand::object members;
        if (from.get_object().get(members)) return fail_at(from, "expected an object");
        return read_alternative(type, object, members, place_of(from));
    }

    bool read_alternative(const value_type& type, void* object, ondemand::object& members,
                          const char* opened) {
        if (depth_ == max_json_depth) return failure_.at(opened, "expected at most 64 levels");
        ++depth_;
        const auto end = members.end().value_unsafe();
        auto at = members.begin().value_unsafe();
        if (!(at != end)) return failure_.saying(opened, one_alternative);
        ondemand::field member;
        const char* start = nullptr;
        std::string_view key;
        if (!take_member(*at, member, start, key)) return false;
        const std::size_t chosen = find_alternative(type, key);
        if (chosen == type.alternatives.size()) return failure_.at(start, alternatives_text(type));
        void* const value = type.variant->select(object, chosen);
        if (!read_value(*type.alternatives[chosen].type, value, member.value()))
            return failure_.in_field(key);
        ++at;
        --depth_;
        return !(at != end) || failure_.here(document_, one_alternative);
    }

    /// The key of one member; its value comes next.
    bool take_member(simdjson::simdjson_result<ondemand::field> next, ondemand::field& member,
                     const char*& start, std::string_view& key) {
        if (std::move(next).get(member))
            return failure_.here(document_, "expected a key and its value, a comma or }");
        start = member.key().raw() - 1;
        return !member.unescaped_key().get(key) || failure_.at(start, "expected valid escapes");
    }

    ondemand::document& document_;
    memory_budget budget_;
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

using root_reader = bool (json_reader::*)(const value_type&, void*);

[[gnu::always_inline]] inline std::expected<void, error> read_root(
    root_reader read, const value_type& type, void* object, std::string_view text, arena& kept) {
    auto document = start(text);
    if (document.error()) [[unlikely]]
        return refuse(text, document.error());
    json_reader reader{std::move(document).value_unsafe(), text, kept};
    if (!(reader.*read)(type, object)) [[unlikely]]
        return reader.take_error();
    return {};
}

/// A value that is no object or array, read as the only element of an array: On-Demand takes such
/// roots by other functions, with limits of their own.
std::expected<void, error> read_lone(const value_type& type, void* object, std::string_view payload,
                                     arena& kept) {
    char* const at = kept.room(payload.size() + 2 + byte_buffer::padding);
    at[0] = '[';
    payload.copy(at + 1, payload.size());
    at[payload.size() + 1] = ']';
    auto document = start({at, payload.size() + 2});
    const std::string_view inside{at + 1, payload.size()};
    if (document.error()) return refuse(inside, document.error());
    json_reader reader{std::move(document).value_unsafe(), inside, kept};
    if (!reader.read_only_element(type, object)) return reader.take_error();
    return {};
}

[[gnu::noinline]] std::expected<void, error> read_other(const value_type& type, void* object,
                                                        std::string_view text, arena& kept) {
    switch (type.kind) {
        case value_kind::sequence:
        case value_kind::array:
        case value_kind::bits:
            return read_root(&json_reader::read_list, type, object, text, kept);
        case value_kind::map:
        case value_kind::variant:
            return read_root(&json_reader::read_map_or_variant, type, object, text, kept);
        default:
            return read_lone(type, object, text, kept);
    }
}

}  // namespace

std::expected<void, error> read_json(const value_type& type, void* object,
                                     std::span<const std::byte> payload, arena& kept) {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    if (type.kind != value_kind::aggregate) [[unlikely]]
        return read_other(type, object, text, kept);
    return read_root(&json_reader::read_object, type, object, text, kept);
}

}  // namespace waybill
