#include "cbor_source.hpp"

#include <string>

namespace waybill {
namespace {

/// What an item holds, for people: its text, or its first byte.
std::string shown(std::string_view rest) {
    constexpr std::string_view hex = "0123456789abcdef";
    if (rest.empty()) return {};
    cbor_item item;
    if (read_cbor_item(rest, item) != 0 && item.kind == cbor_kind::text)
        return std::string{item.content.substr(0, 25)};
    const auto first = static_cast<unsigned char>(rest.front());
    return {'0', 'x', hex[first >> 4], hex[first & 0xf]};
}

}  // namespace

bool cbor_source::at_end() {
    return at_ == end_ || fail_at(at_, "expected nothing behind the value");
}

bool cbor_source::fail_at(const char* start, std::string_view expected) {
    fault_ = std::make_unique<fault>();
    fault_->fail(static_cast<std::size_t>(start - base_), expected, shown({start, end_}));
    return false;
}

bool cbor_source::fail_saying(const char* where, std::string_view what) {
    fault_ = std::make_unique<fault>();
    fault_->fail(static_cast<std::size_t>(where - base_), what);
    return false;
}

bool cbor_source::fail_item() {
    if (item_.kind == cbor_kind::incomplete) return fail_at(end_, "expected the rest of an item");
    return fail("expected an item");
}

bool cbor_source::in_field(std::string_view name) {
    fault_->in_field(name);
    return false;
}

bool cbor_source::in_element(std::size_t index) {
    fault_->in_element(index);
    return false;
}

}  // namespace waybill
