#include "transport/rabbitmq/server/matching.hpp"

#include "transport/rabbitmq/server/table.hpp"

namespace waybill::rabbitmq::fake {

bool is_same_value(const header_value& a, const header_value& b) {
    if (a == b) return true;
    if (const auto x = a.integer()) return x == b.integer();
    if (const auto x = a.unsigned_integer()) return x == b.unsigned_integer();
    if (const auto x = a.floating()) return x == b.floating();
    // A text may have come as one or as bytes.
    return a.kind() == header_kind::text && a.text() == b.text();
}

bool headers_match(const headers& arguments, const headers& of_message) {
    const auto how = find_exact(arguments, "x-match");
    const auto kind = how ? how->text().value_or("all") : "all";
    const bool any = kind.starts_with("any");
    const bool with_x = kind.ends_with("-with-x");
    for (const auto& each : arguments) {
        if (each.name == "x-match" || (!with_x && each.name.starts_with("x-"))) continue;
        const auto there = find_exact(of_message, each.name);
        const bool fits =
            there && (each.value.kind() == header_kind::null || is_same_value(each.value, *there));
        if (fits == any) return any;
    }
    return !any;
}

}  // namespace waybill::rabbitmq::fake
