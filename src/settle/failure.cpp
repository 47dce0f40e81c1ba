// What threw, or could not be decoded.
#include "settle/execute.hpp"

namespace waybill::settle {

void executor::fail(const case_file& about, dead_reason reason, std::string_view error) {
    const bool undecodable = reason == dead_reason::decode;
    shared_.log->write(
        log_level::warning, undecodable ? "undecodable" : "handler_failed",
        {{"subscription", shared_.declared->name}, {"attempt", about.attempt}, {"error", error}});
    const auto policy =
        undecodable ? shared_.declared->undecodable() : shared_.declared->on_exception;
    if (shared_.observer != nullptr) {
        shared_.observer->answered(shared_.declared->name, about.view(), policy.answer(), error);
    }
    const auto now = situation_of(about);
    auto decided = policy.is_dead_letter() && !now.stale
                       ? spent(shared_.rule, now, reason)
                       : plan_settlement(policy.answer(), shared_.rule, now);
    if (decided.dropped && decided.reason == dead_reason::outcome) decided.reason = reason;
    execute(decided, about, error);
}

}  // namespace waybill::settle
