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
    const bool capped = declared.max_attempts.has_value() || declared.max_redeliveries.has_value();
    const bool ends = loses == kill_loss::everything || (can.crash_is_counted && capped);
    made.crash_loop = ends ? "bounded" : "unbounded";
    made.stop_charges = can.stop_is_counted;
    return made;
}

}  // namespace waybill::wiring
