#include "transport/rabbitmq/server/table.hpp"

#include "transport/rabbitmq/values.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

constexpr std::size_t most_of_short_string = 255;

std::vector<field> fields_of(std::span<const std::byte> bytes, bool are_named) {
    std::vector<field> all;
    octet_reader from{bytes};
    while (from.left() != 0) {
        const auto next = next_field(from, are_named);
        if (!from.ok()) break;
        all.push_back({next});
    }
    return all;
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

}  // namespace

void field_writer::name(std::string_view of) {
    put_short(bytes_, of.substr(0, most_of_short_string));
}

void field_writer::type(char of) { put(bytes_, static_cast<std::uint8_t>(of)); }

void field_writer::sized(char of, std::span<const std::byte> value) {
    type(of);
    put(bytes_, static_cast<std::uint32_t>(value.size()));
    bytes_.append(value.data(), value.size());
}

field_writer& field_writer::text(std::string_view of, std::string_view value) {
    name(of);
    sized('S', bytes_of(value));
    return *this;
}

field_writer& field_writer::integer(std::string_view of, std::int64_t value) {
    name(of);
    type('l');
    put(bytes_, static_cast<std::uint64_t>(value));
    return *this;
}

field_writer& field_writer::seconds(std::string_view of, std::uint64_t value) {
    name(of);
    type('T');
    put(bytes_, value);
    return *this;
}

field_writer& field_writer::texts(std::string_view of, std::span<const std::string> values) {
    field_writer elements;
    for (const auto& each : values) elements.text(each);
    name(of);
    sized('A', elements.bytes());
    return *this;
}

field_writer& field_writer::text(std::string_view value) {
    sized('S', bytes_of(value));
    return *this;
}

field_writer& field_writer::table(const field_writer& entries) {
    sized('F', entries.bytes());
    return *this;
}

std::optional<std::string> field::text() const {
    if (type != 'S') return std::nullopt;
    return std::string{reinterpret_cast<const char*>(value.data()), value.size()};
}

std::optional<std::int64_t> field::integer() const {
    octet_reader from{value};
    switch (type) {
        case 'b':
            return static_cast<std::int8_t>(from.number<std::uint8_t>());
        case 's':
            return static_cast<std::int16_t>(from.number<std::uint16_t>());
        case 'I':
            return static_cast<std::int32_t>(from.number<std::uint32_t>());
        case 'B':
            return from.number<std::uint8_t>();
        case 'u':
            return from.number<std::uint16_t>();
        case 'i':
            return from.number<std::uint32_t>();
        case 'l':
        case 'L':
        case 'T':
            return static_cast<std::int64_t>(from.number<std::uint64_t>());
        default:
            return std::nullopt;
    }
}

std::vector<field> fields_of_table(std::span<const std::byte> bytes) {
    return fields_of(bytes, true);
}

std::vector<field> fields_of_array(std::span<const std::byte> bytes) {
    return fields_of(bytes, false);
}

std::vector<std::string> texts_of_array(std::span<const std::byte> bytes) {
    std::vector<std::string> all;
    for (const auto& each : fields_of_array(bytes)) {
        if (auto text = each.text()) all.push_back(std::move(*text));
    }
    return all;
}

std::optional<header_value> find_exact(const headers& in, std::string_view name) {
    for (const auto& each : in) {
        if (each.name == name && !each.is_property()) return each.value;
    }
    return std::nullopt;
}

std::vector<std::string> texts_of_header(const headers& in, std::string_view name) {
    const auto found = find_exact(in, name);
    if (!found || wire_type_of(*found) != wire_type::array) return {};
    return texts_of_array(found->bytes().value_or(std::span<const std::byte>{}));
}

void sort_by_name(headers& all, bool only_first) {
    // Properties first; what is equal stays in its order.
    std::multimap<std::pair<bool, std::string_view>, header> entries;
    for (const auto& each : all) {
        // One of a table's own could not be told from a property any more.
        if (!each.is_property() && each.name.starts_with(':')) return;
        const bool is_property = each.is_property();
        entries.emplace(std::pair{!is_property, is_property ? "" : each.name}, each);
    }
    headers sorted;
    for (const auto& [place, each] : entries) {
        if (only_first && !each.is_property() && find_exact(sorted, each.name)) continue;
        sorted.append(each.name, each.value);
    }
    all = std::move(sorted);
}

}  // namespace waybill::rabbitmq::fake
