#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/octets.hpp"

#include <vector>

namespace waybill::rabbitmq {
namespace {

struct level {
    octet_reader from;
    bool array;
};

/// How many bytes a value of this kind takes; -1: it says so itself, -2: there is no such kind.
constexpr int self_sized = -1;
constexpr int unknown_kind = -2;
int size_of_value(char kind) noexcept {
    switch (kind) {
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
        case 'S':
        case 'x':
        case 'F':
        case 'A':
            return self_sized;
        default:
            return unknown_kind;
    }
}

}  // namespace

bool is_well_formed(std::span<const std::byte> inside, bool array) {
    // Of one's own memory, not of the call stack: a frame holds tens of thousands of levels.
    std::vector<level> open{{octet_reader{inside}, array}};
    while (!open.empty()) {
        auto& [from, values] = open.back();
        if (from.left() == 0) {
            if (!from.ok()) return false;
            open.pop_back();
            continue;
        }
        if (!values) static_cast<void>(from.short_string());
        const auto kind = static_cast<char>(from.number<std::uint8_t>());
        const int size = size_of_value(kind);
        if (!from.ok() || size == unknown_kind) return false;
        const auto content =
            size == self_sized ? from.long_bytes() : from.bytes(static_cast<std::size_t>(size));
        if (!from.ok()) return false;
        if (kind == 'F' || kind == 'A') open.push_back({octet_reader{content}, kind == 'A'});
    }
    return true;
}

}  // namespace waybill::rabbitmq
