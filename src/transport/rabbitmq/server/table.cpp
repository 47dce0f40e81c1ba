#include "transport/rabbitmq/server/table.hpp"

#include "transport/rabbitmq/values.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

constexpr std::size_t most_of_short_string = 255;

/// How many bytes a value of that type takes; nothing for those that say it themselves.
std::optional<std::size_t> fixed_size(char type) {
    switch (type) {
        case 'V':
            return 0;
        case 't':
        case 'b':
        case 'B':
            return 1;
        case 's':
        case 'u':
            return 2;
        case 'I':
        case 'i':
        case 'f':
            return 4;
        case 'D':
            return 5;
        case 'l':
        case 'L':
        case 'd':
        case 'T':
            return 8;
        default:
            return std::nullopt;
    }
}

bool is_sized(char type) { return type == 'S' || type == 'x' || type == 'F' || type == 'A'; }

std::uint64_t number_of(std::span<const std::byte> bytes) {
    std::uint64_t number = 0;
    for (const auto byte : bytes) number = number << 8U | std::to_integer<std::uint64_t>(byte);
    return number;
}

/// Takes what it reads off the front.
class reader {
public:
    explicit reader(std::span<const std::byte> bytes) : left_{bytes} {}

    [[nodiscard]] bool is_at_end() const noexcept { return left_.empty(); }
    std::optional<std::span<const std::byte>> take(std::size_t size) {
        if (size > left_.size()) return std::nullopt;
        const auto taken = left_.first(size);
        left_ = left_.subspan(size);
        return taken;
    }
    std::optional<std::uint64_t> number(std::size_t size) {
        const auto bytes = take(size);
        if (!bytes) return std::nullopt;
        return number_of(*bytes);
    }
    bool name(field& of) {
        const auto size = number(1);
        const auto bytes = size ? take(*size) : std::nullopt;
        if (!bytes) return false;
        of.name = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
        return true;
    }
    bool value(field& of) {
        const auto type = number(1);
        if (!type) return false;
        of.type = static_cast<char>(*type);
        auto size = fixed_size(of.type);
        if (!size && is_sized(of.type)) size = number(4);
        const auto bytes = size ? take(*size) : std::nullopt;
        if (!bytes) return false;
        of.value = *bytes;
        return true;
    }

private:
    std::span<const std::byte> left_;
};

std::vector<field> fields_of(std::span<const std::byte> bytes, bool are_named) {
    std::vector<field> all;
    reader from{bytes};
    while (!from.is_at_end()) {
        field next;
        if ((are_named && !from.name(next)) || !from.value(next)) break;
        all.push_back(next);
    }
    return all;
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

}  // namespace

void field_writer::name(std::string_view of) {
    of = of.substr(0, most_of_short_string);
    number(of.size(), 1);
    std::ranges::copy(bytes_of(of), std::back_inserter(bytes_));
}

void field_writer::number(std::uint64_t value, std::size_t size) {
    for (auto at = size; at-- > 0;) bytes_.push_back(static_cast<std::byte>(value >> (8 * at)));
}

void field_writer::sized(char type, std::span<const std::byte> value) {
    bytes_.push_back(static_cast<std::byte>(type));
    number(value.size(), 4);
    bytes_.insert(bytes_.end(), value.begin(), value.end());
}

field_writer& field_writer::text(std::string_view of, std::string_view value) {
    name(of);
    sized('S', bytes_of(value));
    return *this;
}

field_writer& field_writer::integer(std::string_view of, std::int64_t value) {
    name(of);
    bytes_.push_back(std::byte{'l'});
    number(static_cast<std::uint64_t>(value), 8);
    return *this;
}

field_writer& field_writer::seconds(std::string_view of, std::uint64_t value) {
    name(of);
    bytes_.push_back(std::byte{'T'});
    number(value, 8);
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
    const auto bits = number_of(value);
    switch (type) {
        case 'b':
            return static_cast<std::int8_t>(bits);
        case 's':
            return static_cast<std::int16_t>(bits);
        case 'I':
            return static_cast<std::int32_t>(bits);
        case 'B':
        case 'u':
        case 'i':
        case 'l':
        case 'L':
        case 'T':
            return static_cast<std::int64_t>(bits);
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
