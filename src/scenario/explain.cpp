#include "scenario/explain.hpp"

#include "scenario/kit.hpp"
#include "scenario/service.hpp"
#include "scenario/witness.hpp"

#include <algorithm>
#include <tuple>

namespace waybill::scenario {
namespace {

/// A service that is put together and never started.
class unstarted {
public:
    explicit unstarted(const scenario& told)
        : time_{std::make_shared<manual_clock>()},
          server_{kit_for(told.transport)->open(told, time_)},
          trace_{time_, *kit_for(told.transport), [](const json::value&) {}},
          seen_{told, *server_, trace_, time_},
          stage_{seen_, [](auto, const auto&) {}, [] {}},
          service_{told, server_->config(), stage_, trace_, time_, {}} {}

    [[nodiscard]] std::vector<error> check() const { return service_.check(); }
    [[nodiscard]] std::shared_ptr<const detail::broker_config> server() const {
        return server_->config();
    }

private:
    std::shared_ptr<manual_clock> time_;
    std::unique_ptr<world> server_;
    trace trace_;
    witness seen_;
    stage stage_;
    service service_;
};

bool is_worse(const course& a, const course& b) {
    const auto rank = [](const course& each) {
        return std::tuple{each.end == ending::never, each.deliveries, each.waiting};
    };
    return rank(a) > rank(b);
}

/// One subscription on the server that its messages come from.
class explainer {
public:
    explainer(const scenario& told, const subscription& of, const detail::broker_config& server)
        : told_{told},
          of_{of},
          server_{server},
          can_{server.capabilities_of(of.declared.from)},
          rule_{wiring::rules_of(of.declared, can_)} {}

    [[nodiscard]] meaning explain() const {
        const auto& declared = of_.declared;
        meaning made{.name = declared.name,
                     .declared = &declared,
                     .said = wiring::facts_of(declared, can_),
                     .worst = of(never_done(of_.handler, declared)),
                     .handler = of(handled_as(of_.handler, declared)),
                     .throws = of({by_policy(declared.on_exception, dead_reason::exception)}),
                     .crashes = of({{.how = handled::way::dies}})};
        for (const auto& [payload, list] : of_.handler_for) {
            made.for_payload[payload] = of(handled_as(list, declared));
            const auto other = of(never_done(list, declared));
            if (is_worse(other, made.worst)) made.worst = other;
        }
        if (of_.codec != codec_name::raw && !of_.message.empty()) {
            made.undecodable = of({by_policy(declared.undecodable(), dead_reason::decode)});
        }
        made.copies_go_to = readers_of_copies();
        return made;
    }

private:
    [[nodiscard]] course of(const std::vector<handled>& list) const {
        const auto& to = of_.declared.retry_to;
        return follow(rule_, list, !to || server_.reads(of_.declared.from, *to));
    }
    [[nodiscard]] std::vector<std::string> readers_of_copies() const {
        std::vector<std::string> names;
        if (!of_.declared.retry_to) return names;
        for (const auto& each : told_.subscriptions) {
            if (server_.reads(each.declared.from, *of_.declared.retry_to)) {
                names.push_back(each.declared.name);
            }
        }
        return names;
    }

    const scenario& told_;
    const subscription& of_;
    const detail::broker_config& server_;
    detail::capabilities can_;
    settle::rules rule_;
};

}  // namespace

explanation explain(const scenario& told) {
    explanation made;
    const unstarted service{told};
    made.problems = service.check();
    if (!made.problems.empty()) return made;
    for (const auto& each : told.subscriptions) {
        made.subscriptions.push_back(explainer{told, each, *service.server()}.explain());
    }
    return made;
}

}  // namespace waybill::scenario
