#include "transport/rabbitmq/field_types.hpp"
#include "transport/rabbitmq/fields.hpp"

#include <bit>
#include <cmath>
#include <vector>

namespace waybill::rabbitmq {
namespace {

struct level {
    octet_reader from;
    bool array;
};

/// Every field, to any depth; false where one is malformed or does not pass.
template <class Passes>
bool all_pass(std::span<const std::byte> inside, bool array, Passes passes) {
    // Of one's own memory, not of the call stack: a frame holds tens of thousands of levels.
    std::vector<level> open{{octet_reader{inside}, array}};
    while (!open.empty()) {
        auto& [from, values] = open.back();
        if (from.left() == 0) {
            open.pop_back();
            continue;
        }
        const auto next = next_field(from, !values);
        if (!from.ok() || !passes(next)) return false;
        const bool holds_values = next.type == 'A';
        if (next.type == 'F' || holds_values) {
            open.push_back({octet_reader{next.value}, holds_values});
        }
    }
    return true;
}

bool is_finite(const raw_field& one) {
    octet_reader from{one.value};
    if (one.type == 'f') return std::isfinite(std::bit_cast<float>(from.number<std::uint32_t>()));
    if (one.type == 'd') return std::isfinite(std::bit_cast<double>(from.number<std::uint64_t>()));
    return true;
}

}  // namespace

bool is_well_formed(std::span<const std::byte> inside, bool array) {
    return all_pass(inside, array, [](const raw_field&) { return true; });
}

bool is_finite(std::span<const std::byte> inside, bool array) {
    return all_pass(inside, array, [](const raw_field& one) { return is_finite(one); });
}

}  // namespace waybill::rabbitmq
