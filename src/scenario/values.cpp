#include "scenario/values.hpp"

#include "codec/base64.hpp"
#include "codec/utf8.hpp"

#include <utility>

namespace waybill::scenario {

std::string base64_of(std::span<const std::byte> bytes) {
    std::string text(base64_size(bytes.size()), ' ');
    encode_base64(bytes, text.data());
    return text;
}

json::value value_of(const header_value& value) {
    switch (value.kind()) {
        case header_kind::null:
            return nullptr;
        case header_kind::boolean:
            return *value.boolean();
        case header_kind::integer:
            return *value.integer();
        case header_kind::unsigned_integer:
            return *value.unsigned_integer();
        case header_kind::floating:
            return *value.floating();
        case header_kind::text:
            return *value.text();
        case header_kind::bytes:
            return json::object{{"base64", base64_of(*value.bytes())}};
    }
    return nullptr;
}

void add_payload(json::object& to, std::span<const std::byte> payload) {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    if (is_utf8(text)) {
        to.push_back({"payload", text});
    } else {
        to.push_back({"payload_base64", base64_of(payload)});
    }
}

}  // namespace waybill::scenario
