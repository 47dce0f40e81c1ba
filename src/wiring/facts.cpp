#include "wiring/facts.hpp"

#include <algorithm>

namespace waybill::wiring {

using detail::kill_loss;

namespace {

std::string_view name_of(kill_loss loss) {
    switch (loss) {
        case kill_loss::nothing:
            return "nothing";
        case kill_loss::waiting:
            return "waiting";
        case kill_loss::unsettled:
            return "unsettled";
        case kill_loss::everything:
            return "everything";
    }
    return "everything";
}

}  // namespace

facts facts_of(const declaration& declared, const detail::capabilities& can) {
    facts made;
    made.counted_by = can.counts == detail::count_support::failures ? "broker+header" : "header";
    made.delays = can.delay == detail::delay_support::held ? "held"
                  : waits_in_memory(can)                   ? "memory"
                                                           : "broker";
    const auto store_loses = waits_in_memory(can) ? kill_loss::waiting : kill_loss::nothing;
    const auto loses = std::max(can.loses, store_loses);
    made.kill_loses = name_of(loses);
    const auto rule = rules_of(declared, can);
    const bool capped = rule.cap != 0 || rule.max_redeliveries != 0;
    const bool ends = loses == kill_loss::everything || (can.crash_is_counted && capped);
    made.crash_loop = ends ? "bounded" : "unbounded";
    made.stop_charges = can.stop_is_counted;
    return made;
}

settle::rules rules_of(const declaration& declared, const detail::capabilities& can) {
    settle::rules made;
    made.can = can;
    made.cap = static_cast<std::uint32_t>(declared.max_attempts.value_or(0));
    if (can.counts == detail::count_support::returns) {
        const auto standard = made.cap == 0 ? 0 : std::int64_t{made.cap} + 10;
        made.max_redeliveries =
            static_cast<std::uint32_t>(declared.max_redeliveries.value_or(standard));
    }
    made.has_dead_letter = declared.dead_letter.has_value();
    made.has_retry_address = declared.retry_to.has_value() || declared.retry_to_delivery;
    made.has_fixed_wait = can.fixed_wait && declared.retry_to.has_value();
    made.drop_when_spent = declared.drop_when_spent;
    made.rejects_drops = declared.drop_to_broker || can.drop_is_rejected;
    made.retry_delay = declared.retry_delay;
    return made;
}

}  // namespace waybill::wiring
