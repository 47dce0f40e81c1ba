#include "scenario/live/limits.hpp"

#include "scenario/rabbitmq_options.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace waybill::scenario {
namespace {

using namespace std::chrono_literals;

error refusal(std::string where, std::string what, std::string fix) {
    return {errc::wiring, std::move(where), std::move(what), std::move(fix)};
}

}  // namespace

std::vector<error> objections(const scenario& told, const live_options& how) {
    std::vector<error> all;
    if (told.transport != "rabbitmq") {
        all.push_back(refusal("transport", "there is no real server for " + told.transport,
                              "play it in process, without --live"));
    }
    const bool needs_control = std::ranges::any_of(told.steps, [](const auto& each) {
        return std::holds_alternative<step::restart_broker>(each) ||
               std::holds_alternative<step::remove>(each);
    });
    if (needs_control && how.control.empty()) {
        all.push_back(refusal("steps", "restart_broker and delete need somebody who can do it",
                              "name a program by --control, which is called with restart, or with "
                              "delete and the address"));
    }
    return all;
}

void remark_on_time(const scenario& told, const live_options& how) {
    constexpr nanoseconds long_time = 3min;
    nanoseconds all{0};
    for (const auto& each : told.steps) {
        const auto* one = std::get_if<step::advance>(&each);
        if (one != nullptr) all += std::min<nanoseconds>(one->by, 24h * 365);
    }
    if (all > long_time && how.remark) {
        how.remark("the steps let " + to_text(all) +
                   " pass, and time is real here; an advance ends early when nothing can happen "
                   "any more");
    }
}

bool may_expire(const scenario& told) {
    const auto& how = static_cast<const rabbitmq_options&>(*told.broker);
    const auto topology = json::to_text(how.topology);
    if (topology.find("ttl") != topology.npos || topology.find("expires") != topology.npos) {
        return true;
    }
    return std::ranges::any_of(told.steps, [](const auto& each) {
        const auto* one = std::get_if<step::publish>(&each);
        return one != nullptr && one->with.contains(rabbitmq::property::expiration);
    });
}

}  // namespace waybill::scenario
