#include "json_reader.hpp"

#include "json_grammar.hpp"
#include "json_parser.hpp"
#include "wire_value.hpp"

namespace waybill {

bool json_reader::read_value(const value_type& type, void* object, ondemand::value& from) {
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

bool json_reader::read_optional(const value_type& type, void* object, ondemand::value& from) {
    bool null = false;
    if (from.is_null().get(null)) return fail_at(from, "expected null");
    if (!null) {
        if (!budget_.take(type.element->default_bytes)) return fail_memory(place_of(from));
        return read_value(*type.element, type.optional->engage(object), from);
    }
    type.optional->clear(object);
    return true;
}

bool json_reader::read_scalar(const scalar_hooks& scalar, void* object, ondemand::value& from) {
    wire_value wire{*scalar.read};
    if (!read_value(*scalar.read, wire.get(), from)) return false;
    std::string problem;
    const json_parser_pause pause;  // the function may read JSON itself
    return scalar.from_wire(object, wire.get(), problem) || fail_at(from, problem);
}

// --- aggregates

bool json_reader::read_aggregate(const value_type& type, void* object, ondemand::value& from) {
    ondemand::object members;
    if (!enter(from, members)) [[unlikely]]
        return false;
    return read_members(type, object, members, place_of(from));
}

/// Keys mostly come in the order of the fields, so the next one is tried first.
bool json_reader::read_members(const value_type& type, void* object, ondemand::object& members,
                               const char* opened) {
    const field_info* expected = type.fields.data();
    const field_info* const last = expected + type.fields.size();
    std::uint32_t expected_bit = 1;
    std::uint32_t seen = 0;
    const auto end = members.end().value_unsafe();
    for (auto at = members.begin().value_unsafe(); at != end; ++at) {
        auto next = *at;
        if (next.error()) [[unlikely]]
            return failure_.here(document_, expected_member);
        auto&& member = std::move(next).value_unsafe();
        const char* const key = member.key().raw();
        const field_info* known = expected;
        std::uint32_t bit = expected_bit;
        if (known == last || !matches_raw(*known, key)) [[unlikely]] {
            if (!find_field(type, member, known)) return false;
            if (known == nullptr) {
                if (type.is_closed) return failure_.at(key - 1, unknown_field);
                if (!skip_(member.value(), deepest_, failure_)) return false;
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
        // The commonest kind is read in this loop.
        const bool good = known->type->kind == value_kind::unsigned_integer
                              ? read_unsigned(*known->type, known->of(object), member.value())
                              : read_value(*known->type, known->of(object), member.value());
        if (!good) [[unlikely]]
            return failure_.in_field(known->name());
    }
    const std::uint32_t absent = type.members & ~seen;
    return absent == 0 || finish_absent(type, object, absent, opened);
}

/// The field that the key names, or null. A key with escapes has to be read first.
bool json_reader::find_field(const value_type& type, ondemand::field& member,
                             const field_info*& known) {
    const char* const raw = member.key().raw();
    for (const field_info& candidate : type.fields) {
        known = &candidate;
        if (matches_raw(candidate, raw)) return true;
    }
    known = nullptr;
    if (*find_quote_or_escape(raw) == '"') return true;
    std::string_view key;
    if (member.unescaped_key().get(key)) return failure_.at(raw - 1, bad_escapes);
    for (const field_info& candidate : type.fields)
        if (matches(candidate, key)) known = &candidate;
    return true;
}

bool json_reader::finish_absent(const value_type& type, void* object, std::uint32_t absent,
                                const char* opened) {
    if (const std::uint32_t missing = absent & type.required; missing != 0)
        return failure_.saying(opened, missing_text(type, missing));
    return fill_absent(type, object, absent, budget_) || fail_memory(opened);
}

}  // namespace waybill
