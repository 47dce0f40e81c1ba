#include "scenario/rabbitmq_values.hpp"

#include "codec/base64.hpp"
#include "scenario/mistakes.hpp"
#include "scenario/values.hpp"
#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/values.hpp"

#include <vector>

namespace waybill::scenario {
namespace {

using rabbitmq::wire_type;
using packed_bytes = std::vector<std::byte>;
template <class T>
using or_reason = std::expected<T, std::string>;

constexpr std::size_t longest_name = 255;
constexpr std::size_t length_size = 4;

/// `entries` as they lie in a table, without its length.
or_reason<packed_bytes> entries_of(const headers& all) {
    byte_buffer written;
    if (auto done = rabbitmq::write_table(all.packed(), written); !done) {
        return std::unexpected(done.error().what);
    }
    const auto inside = written.bytes().subspan(length_size);
    return packed_bytes{inside.begin(), inside.end()};
}

or_reason<packed_bytes> table_of(const json::object& members) {
    headers all;
    for (const auto& each : members) {
        if (auto done = append_amqp(all, each.name, each.is); !done) {
            return std::unexpected(std::move(done.error()));
        }
    }
    return entries_of(all);
}

/// An element is a table's entry without its name.
or_reason<packed_bytes> array_of(const json::array& items) {
    packed_bytes made;
    for (const auto& each : items) {
        headers one;
        if (auto done = append_amqp(one, "", each); !done) {
            return std::unexpected(std::move(done.error()));
        }
        auto entry = entries_of(one);
        if (!entry) return entry;
        made.insert(made.end(), entry->begin() + 1, entry->end());
    }
    return made;
}

or_reason<void> append_nested(headers& to, std::string_view name, wire_type type,
                              const or_reason<packed_bytes>& inside) {
    if (!inside) return std::unexpected(inside.error());
    to.append(name, rabbitmq::as(type, std::span<const std::byte>{*inside}));
    return {};
}

or_reason<void> append_bytes(headers& to, std::string_view name, const json::value& text) {
    const auto* base64 = text.text();
    if (base64 == nullptr) return std::unexpected("\"base64\" is a text");
    packed_bytes content(base64_bytes(*base64));
    if (!decode_base64(*base64, content.data())) {
        return std::unexpected("this is no base64, as in \"AAEC/w==\"");
    }
    to.append(name, std::span<const std::byte>{content});
    return {};
}

or_reason<void> append_number(headers& to, std::string_view name, const json::value& what) {
    if (const auto* number = what.floating()) {
        to.append(name, *number);
    } else if (const auto whole = what.integer()) {
        to.append(name, *whole);
    } else {
        return std::unexpected("a whole number above 9223372036854775807 has no type here");
    }
    return {};
}

json::object object_of(std::span<const std::byte> entries) {
    byte_buffer packed;
    json::object made;
    if (!rabbitmq::read_table(entries, packed)) return made;
    for (const auto& each : headers::borrow(packed.bytes())) {
        made.push_back({std::string{each.name}, amqp_as_json(each.value)});
    }
    return made;
}

json::array list_of(std::span<const std::byte> values) {
    byte_buffer packed;
    json::array made;
    if (!rabbitmq::read_array(values, packed)) return made;
    for (const auto& each : headers::borrow(packed.bytes())) {
        made.push_back(amqp_as_json(each.value));
    }
    return made;
}

}  // namespace

std::expected<void, std::string> append_amqp(headers& to, std::string_view name,
                                             const json::value& what) {
    if (name.size() > longest_name) return std::unexpected("a name has 255 bytes at most");
    if (name.starts_with(':')) return std::unexpected("a name that begins with ':' is reserved");
    if (what.is_null()) {
        to.append(name, nullptr);
    } else if (const auto* truth = what.boolean()) {
        to.append(name, *truth);
    } else if (const auto* text = what.text()) {
        to.append(name, *text);
    } else if (what.is_number()) {
        return append_number(to, name, what);
    } else if (const auto* items = what.items()) {
        return append_nested(to, name, wire_type::array, array_of(*items));
    } else if (const auto* members = what.members()) {
        const bool is_bytes = members->size() == 1 && members->front().name == "base64";
        if (is_bytes) return append_bytes(to, name, members->front().is);
        return append_nested(to, name, wire_type::table, table_of(*members));
    }
    return {};
}

json::value amqp_as_json(const header_value& value) {
    switch (rabbitmq::wire_type_of(value)) {
        case wire_type::table:
            return object_of(*value.bytes());
        case wire_type::array:
            return list_of(*value.bytes());
        default:
            return value_of(value);
    }
}

}  // namespace waybill::scenario
