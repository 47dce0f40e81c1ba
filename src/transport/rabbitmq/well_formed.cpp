#include "transport/rabbitmq/field_types.hpp"
#include "transport/rabbitmq/fields.hpp"

#include <vector>

namespace waybill::rabbitmq {
namespace {

struct level {
    octet_reader from;
    bool array;
};

}  // namespace

bool is_well_formed(std::span<const std::byte> inside, bool array) {
    // Of one's own memory, not of the call stack: a frame holds tens of thousands of levels.
    std::vector<level> open{{octet_reader{inside}, array}};
    while (!open.empty()) {
        auto& [from, values] = open.back();
        if (from.left() == 0) {
            open.pop_back();
            continue;
        }
        const auto next = next_field(from, !values);
        if (!from.ok()) return false;
        const bool holds_values = next.type == 'A';
        if (next.type == 'F' || holds_values) {
            open.push_back({octet_reader{next.value}, holds_values});
        }
    }
    return true;
}

}  // namespace waybill::rabbitmq
