#include "transport/rabbitmq/routing.hpp"

#include <set>
#include <string>

namespace waybill::rabbitmq {
namespace {

/// The first word and what follows its dot.
std::pair<std::string_view, std::string_view> split(std::string_view words) {
    const auto dot = words.find('.');
    if (dot == std::string_view::npos) return {words, {}};
    return {words.substr(0, dot), words.substr(dot + 1)};
}

bool last_word(std::string_view words) { return words.find('.') == std::string_view::npos; }

bool rest_matches(std::string_view pattern, bool pattern_ended, std::string_view key,
                  bool key_ended) {
    if (pattern_ended) return key_ended;
    const auto [word, pattern_rest] = split(pattern);
    const bool pattern_ends = last_word(pattern);
    if (word == "#") {
        if (rest_matches(pattern_rest, pattern_ends, key, key_ended)) return true;
        if (key_ended) return false;
        return rest_matches(pattern, false, split(key).second, last_word(key));
    }
    if (key_ended) return false;
    const auto [key_word, key_rest] = split(key);
    return (word == "*" || word == key_word) &&
           rest_matches(pattern_rest, pattern_ends, key_rest, last_word(key));
}

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

bool topic_matches(std::string_view pattern, std::string_view key) {
    return rest_matches(pattern, false, key, false);
}

bool routes_to(const broker::data& declared, const queue::data& what, std::string_view queue,
               const target& where) {
    std::vector<const queue::data*> queues{&what};
    if (const auto* same = declared.queue_named(queue)) queues.push_back(same);
    std::set<std::string> seen;
    return reaches(declared, queues, where.exchange, where.key, seen);
}

}  // namespace waybill::rabbitmq
