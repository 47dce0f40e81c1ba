#include "transport/rabbitmq/routing.hpp"

#include "transport/rabbitmq/topic.hpp"

#include <set>
#include <string>

namespace waybill::rabbitmq {
namespace {

std::string_view type_of(const broker::data& declared, std::string_view exchange) {
    for (const auto& each : declared.exchanges) {
        if (each.said().spec.name == exchange) return each.said().spec.type;
    }
    return "topic";  // not ours: the rule that matches most
}

bool matches(std::string_view type, std::string_view pattern, std::string_view key) {
    if (type == "direct") return pattern == key;
    if (type == "topic") return topic_matches(pattern, key);
    return true;
}

bool reaches(const broker::data& declared, const std::vector<const queue::data*>& queues,
             std::string_view exchange, std::string_view key, std::set<std::string>& seen) {
    if (!seen.insert(std::string{exchange}).second) return false;
    const auto type = type_of(declared, exchange);
    const auto takes = [&](const binding& each) {
        return each.from == exchange && matches(type, each.key, key);
    };
    for (const auto* each : queues) {
        for (const auto& bound : each->bindings) {
            if (takes(bound)) return true;
        }
    }
    for (const auto& each : declared.exchanges) {
        for (const auto& bound : each.said().bindings) {
            if (takes(bound) && reaches(declared, queues, each.said().spec.name, key, seen)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

bool routes_to(const broker::data& declared, const queue::data& what, std::string_view queue,
               const target& where) {
    std::vector<const queue::data*> queues{&what};
    if (const auto* same = declared.queue_named(queue)) queues.push_back(same);
    std::set<std::string> seen;
    return reaches(declared, queues, where.exchange, where.key, seen);
}

}  // namespace waybill::rabbitmq
