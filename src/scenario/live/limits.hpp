/// What a run on a real server cannot do, and what a person should know before it.
#pragma once

#include "scenario/live/runner.hpp"
#include <waybill/error.hpp>

#include <vector>

namespace waybill::scenario {

/// Every reason why this file cannot be played so.
[[nodiscard]] std::vector<error> objections(const scenario& told, const live_options& how);
/// Says it where the steps let much time pass.
void remark_on_time(const scenario& told, const live_options& how);
/// May the server itself drop messages of the file when their time is over?
[[nodiscard]] bool may_expire(const scenario& told);

}  // namespace waybill::scenario
