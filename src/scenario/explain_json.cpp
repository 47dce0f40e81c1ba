// What the declarations mean, for programs.
#include "scenario/explain.hpp"
#include "scenario/trace.hpp"

namespace waybill::scenario {
namespace {

const char* name_of(ending end) {
    switch (end) {
        case ending::acked:
            return "acked";
        case ending::dropped:
            return "dropped";
        case ending::rejected:
            return "rejected";
        case ending::dead_letter:
            return "dead_letter";
        case ending::moved:
            return "moved";
        case ending::lost:
            return "lost";
        case ending::never:
            return "never";
        case ending::not_followed:
            return "not_followed";
    }
    return "never";
}

json::value or_unbounded(bool is_so, json::value else_this) {
    return is_so ? json::value{"unbounded"} : std::move(else_this);
}

json::value as_json(const course& of, const declaration& declared) {
    json::object made;
    const bool is_endless = of.end == ending::never;
    made.push_back({"deliveries", or_unbounded(is_endless, of.deliveries)});
    made.push_back({"waiting_ms", or_unbounded(of.waiting == unbounded, in_ms(of.waiting))});
    if (of.handling > nanoseconds{0}) made.push_back({"handling_ms", in_ms(of.handling)});
    made.push_back({"ends", name_of(of.end)});
    if (of.end == ending::dead_letter) made.push_back({"to", *declared.dead_letter});
    if (of.end == ending::moved) made.push_back({"to", *declared.retry_to});
    if (of.reason) made.push_back({"reason", to_string(*of.reason)});
    return made;
}

json::value by_payload(const meaning& of) {
    json::object made;
    for (const auto& [payload, each] : of.for_payload) {
        made.push_back({std::string{reinterpret_cast<const char*>(payload.data()), payload.size()},
                        as_json(each, *of.declared)});
    }
    return made;
}

json::value as_json(const meaning& of) {
    const auto& declared = *of.declared;
    json::object made;
    made.push_back({"subscription", of.name});
    made.push_back({"counted_by", of.said.counted_by});
    made.push_back({"delays", of.said.delays});
    made.push_back({"kill_loses", of.said.kill_loses});
    made.push_back({"crash_loop", of.said.crash_loop});
    made.push_back({"stop_charges", of.said.stop_charges});
    made.push_back({"worst_case", as_json(of.worst, declared)});
    made.push_back({"handler", as_json(of.handler, declared)});
    if (!of.for_payload.empty()) made.push_back({"handler_for", by_payload(of)});
    made.push_back({"exceptions", as_json(of.throws, declared)});
    if (of.undecodable) made.push_back({"undecodable", as_json(*of.undecodable, declared)});
    made.push_back({"crashes", as_json(of.crashes, declared)});
    return made;
}

json::value as_json(const error& problem) {
    return json::object{{"where", problem.where}, {"problem", problem.what}, {"fix", problem.fix}};
}

}  // namespace

json::value as_json(const scenario& told, const explanation& what) {
    json::object made{{"scenario", told.name}, {"transport", told.transport}};
    json::array all;
    for (const auto& each : what.problems) all.push_back(as_json(each));
    for (const auto& each : what.subscriptions) all.push_back(as_json(each));
    made.push_back({what.problems.empty() ? "subscriptions" : "refused", std::move(all)});
    return made;
}

}  // namespace waybill::scenario
