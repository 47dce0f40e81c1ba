// Writes the value of a step as a payload.
#include "scenario/message_type.hpp"
#include "scenario/mistakes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace waybill::scenario {
namespace {

template <class Number>
bool store_number(Number number, message_cell& into) {
    std::memcpy(into.number.data(), &number, sizeof number);
    return true;
}

template <class Integer>
bool store_integer(const json::value& from, message_cell& into) {
    if (const auto number = from.integer(); number && std::in_range<Integer>(*number)) {
        return store_number(static_cast<Integer>(*number), into);
    }
    if (const auto number = from.unsigned_integer(); number && std::in_range<Integer>(*number)) {
        return store_number(static_cast<Integer>(*number), into);
    }
    return false;
}

template <class Floating>
bool store_floating(const json::value& from, message_cell& into) {
    if (const auto* number = from.floating()) {
        return store_number(static_cast<Floating>(*number), into);
    }
    if (const auto whole = from.integer()) {
        return store_number(static_cast<Floating>(*whole), into);
    }
    const auto large = from.unsigned_integer();
    return large && store_number(static_cast<Floating>(*large), into);
}

/// False when the value does not fit the kind.
bool store(field_kind kind, const json::value& from, message_cell& into) {
    switch (kind) {
        case field_kind::boolean:
            return from.boolean() != nullptr && store_number(*from.boolean(), into);
        case field_kind::i8:
            return store_integer<std::int8_t>(from, into);
        case field_kind::i16:
            return store_integer<std::int16_t>(from, into);
        case field_kind::i32:
            return store_integer<std::int32_t>(from, into);
        case field_kind::i64:
            return store_integer<std::int64_t>(from, into);
        case field_kind::u8:
            return store_integer<std::uint8_t>(from, into);
        case field_kind::u16:
            return store_integer<std::uint16_t>(from, into);
        case field_kind::u32:
            return store_integer<std::uint32_t>(from, into);
        case field_kind::u64:
            return store_integer<std::uint64_t>(from, into);
        case field_kind::f32:
            return store_floating<float>(from, into);
        case field_kind::f64:
            return store_floating<double>(from, into);
        case field_kind::string:
            if (from.text() == nullptr) return false;
            into.text = *from.text();
            return true;
    }
    std::unreachable();
}

/// As what a value is that no field was declared for; nothing for a nested one and null.
std::optional<field_kind> own_kind(const json::value& what) {
    if (what.boolean() != nullptr) return field_kind::boolean;
    if (what.text() != nullptr) return field_kind::string;
    if (what.floating() != nullptr) return field_kind::f64;
    if (what.integer()) return field_kind::i64;
    if (what.unsigned_integer()) return field_kind::u64;
    return std::nullopt;
}

std::optional<field_kind> store(const json::member& from, const subscription& reader,
                                message_cell& into) {
    const auto declared = std::ranges::find(reader.message, from.name, &message_field::name);
    if (declared != reader.message.end() && store(declared->kind, from.is, into)) {
        return declared->kind;
    }
    const auto kind = own_kind(from.is);
    return kind && store(*kind, from.is, into) ? kind : std::nullopt;
}

std::expected<bytes, std::string> written(const codec& by, const std::vector<message_field>& fields,
                                          const message_object& object) {
    const message_type table{fields};
    byte_buffer out;
    if (const auto done = by->encode(table.type(), &object, out); !done) {
        return std::unexpected(done.error().what);
    }
    return bytes{out.bytes().begin(), out.bytes().end()};
}

}  // namespace

std::expected<bytes, std::string> encode(const json::value& what, const subscription& reader) {
    if (reader.codec == codec_name::raw || reader.codec == codec_name::json) {
        const auto text = json::to_text(what);
        const auto view = std::as_bytes(std::span{text});
        return bytes{view.begin(), view.end()};
    }
    const auto by = codec_of(reader.codec);
    const auto* members = what.members();
    if (members == nullptr || members->size() > most_fields) {
        return std::unexpected("the codec " + std::string{by->name()} +
                               " writes an object of at most " + std::to_string(most_fields) +
                               " members here");
    }
    message_object object;
    std::vector<message_field> fields;
    for (const auto& each : *members) {
        const auto kind = store(each, reader, object.cells[fields.size()]);
        if (!kind) {
            return std::unexpected("the member " + quoted(each.name) + " is " +
                                   std::string{each.is.kind_in_words()} + ", and the codec " +
                                   std::string{by->name()} +
                                   " writes text, numbers, true and false here");
        }
        fields.push_back({each.name, *kind});
    }
    return written(by, fields, object);
}

bytes payload_of(const step::publish& one, const scenario& told, const detail::broker_config& at) {
    if (!one.value) return one.payload;
    const auto reader = std::ranges::find_if(
        told.subscriptions, [&](const auto& each) { return at.reads(each.declared.from, one.to); });
    const subscription nobody;
    auto written = encode(*one.value, reader != told.subscriptions.end() ? *reader : nobody);
    return written ? std::move(*written) : bytes{};
}

}  // namespace waybill::scenario
