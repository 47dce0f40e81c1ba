#include "transport/rabbitmq/likeness.hpp"

#include "transport/rabbitmq/fields.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/headers.hpp>

#include <functional>
#include <map>
#include <string>

namespace waybill::rabbitmq {
namespace {

/// Of a nested table or array only its length counts: what stands in it may be sorted too.
std::string in_words(const header_value& value) {
    const auto type = wire_type_of(value);
    if (type == wire_type::table || type == wire_type::array) {
        return std::to_string(value.bytes()->size());
    }
    if (const auto number = value.unsigned_integer()) {
        return std::to_string(static_cast<std::int64_t>(*number));
    }
    return value.to_string();
}

/// As they come back from the wire: what was packed in two ways may be the same there.
byte_buffer as_on_wire(std::span<const std::byte> packed) {
    byte_buffer wire;
    byte_buffer back;
    if (!write_properties(packed, wire) || !read_properties(wire.bytes(), back)) back.clear();
    return back;
}

}  // namespace

std::uint64_t likeness_of(std::span<const std::byte> packed_headers) {
    const auto all = as_on_wire(packed_headers);
    std::map<std::string, std::string> entries;  // of those with one name the first counts
    for (const auto& each : headers::borrow(all.bytes())) {
        if (!each.is_property() && each.name == "BCC") continue;
        std::string name{each.is_property() ? "p" : "h"};
        entries.try_emplace(name.append(each.name), in_words(each.value));
    }
    std::string text;
    for (const auto& [name, value] : entries) {
        for (const auto* part : {&name, &value}) {
            text += std::to_string(part->size());
            text += ':';
            text += *part;
        }
    }
    const std::uint64_t likeness = std::hash<std::string>{}(text);
    return likeness != 0 ? likeness : 1;
}

}  // namespace waybill::rabbitmq
