#include "transport/rabbitmq/server/exchanges.hpp"

#include "transport/rabbitmq/server/arguments.hpp"
#include "transport/rabbitmq/server/matching.hpp"
#include "transport/rabbitmq/server/refusals.hpp"
#include "transport/rabbitmq/server/table.hpp"
#include "transport/rabbitmq/topic.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

constexpr std::string_view reserved = "amq.";

refusal about_default() {
    return access_refused("operation not permitted on the default exchange");
}

bool is_known_type(std::string_view type) {
    return type == "direct" || type == "fanout" || type == "topic" || type == "headers";
}

}  // namespace

exchanges::exchanges(std::string_view vhost) : vhost_{vhost} {
    constexpr std::array<std::pair<const char*, const char*>, 6> usual{{{"", "direct"},
                                                                        {"amq.direct", "direct"},
                                                                        {"amq.fanout", "fanout"},
                                                                        {"amq.topic", "topic"},
                                                                        {"amq.headers", "headers"},
                                                                        {"amq.match", "headers"}}};
    for (const auto& [name, type] : usual) {
        auto& made = all_[name];
        made.spec.name = name;
        made.spec.type = type;
    }
}

const exchange_spec* exchanges::find(std::string_view name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second.spec;
}

std::expected<void, refusal> exchanges::declare(const exchange_spec& what, bool passive,
                                                bool knows_unknown_types) {
    if (what.name.empty()) return std::unexpected(about_default());
    const auto* current = find(what.name);
    if (passive) {
        if (current == nullptr) return std::unexpected(not_found("exchange", what.name, vhost_));
        return {};
    }
    if (!is_known_type(what.type)) {
        const auto text = "unknown exchange type '" + what.type + "'";
        if (knows_unknown_types) return std::unexpected(precondition_failed(text));
        return std::unexpected(refusal{503, "COMMAND_INVALID - " + text});
    }
    if (current != nullptr) {
        if (auto other = difference(*current, what, vhost_)) return std::unexpected(*other);
        return {};
    }
    if (what.name.starts_with(reserved)) {
        return std::unexpected(
            access_refused("exchange name '" + what.name + "' contains reserved prefix 'amq.*'"));
    }
    all_[what.name].spec = what;
    return {};
}

std::expected<void, refusal> exchanges::bind(std::string_view to, bool to_queue,
                                             std::string_view from, std::string_view key,
                                             const headers& arguments) {
    if (from.empty() || (!to_queue && to.empty())) return std::unexpected(about_default());
    const auto source = all_.find(from);
    if (source == all_.end()) return std::unexpected(not_found("exchange", from, vhost_));
    if (!to_queue && find(to) == nullptr) return std::unexpected(not_found("exchange", to, vhost_));
    auto& bindings = source->second.bindings;
    const bool is_there = std::ranges::any_of(bindings, [&](const binding& each) {
        return each.to == to && each.to_queue == to_queue && each.key == key &&
               each.arguments == arguments;
    });
    if (!is_there) bindings.push_back({std::string{to}, to_queue, std::string{key}, arguments});
    source->second.was_bound = true;
    return {};
}

template <class F>
void exchanges::remove_bindings(F&& is_gone) {
    std::vector<std::string> unused;
    for (auto& [name, each] : all_) {
        std::erase_if(each.bindings, is_gone);
        if (each.spec.auto_delete && each.was_bound && each.bindings.empty())
            unused.push_back(name);
    }
    for (const auto& each : unused) remove(each);
}

void exchanges::remove(const std::string& name) {
    if (all_.erase(name) == 0) return;
    remove_bindings([&](const binding& each) { return !each.to_queue && each.to == name; });
}

bool exchanges::erase(std::string_view name) {
    if (name.empty() || name.starts_with(reserved) || find(name) == nullptr) return false;
    remove(std::string{name});
    return true;
}

void exchanges::queue_deleted(std::string_view name) {
    remove_bindings([&](const binding& each) { return each.to_queue && each.to == name; });
}

void exchanges::restarted(const std::function<bool(const std::string& queue)>& is_there) {
    std::vector<std::string> gone;
    for (const auto& [name, each] : all_) {
        if (!each.spec.durable) gone.push_back(name);
    }
    for (const auto& each : gone) remove(each);
    remove_bindings([&](const binding& each) { return each.to_queue && !is_there(each.to); });
}

bool exchanges::takes(const one& exchange, const binding& by, const routed& what) {
    const auto& type = exchange.spec.type;
    if (type == "fanout") return true;
    if (type == "headers") return headers_match(by.arguments, what.with);
    return std::ranges::any_of(what.keys, [&](const std::string& key) {
        return type == "topic" ? topic_matches(by.key, key) : by.key == key;
    });
}

void exchanges::visit(std::string_view exchange, const routed& what, walk& to) const {
    const auto found = all_.find(exchange);
    if (found == all_.end() || !to.seen_exchanges.emplace(exchange).second) return;
    const auto add = [&](const std::string& queue) {
        if (to.is_there(queue) && to.seen_queues.insert(queue).second) to.queues.push_back(queue);
    };
    bool is_taken = false;
    if (exchange.empty()) {
        for (const auto& key : what.keys) {
            add(key);
            is_taken = is_taken || to.is_there(key);
        }
    }
    for (const auto& each : found->second.bindings) {
        if (!takes(found->second, each, what)) continue;
        is_taken = true;
        if (each.to_queue) {
            add(each.to);
        } else {
            visit(each.to, what, to);
        }
    }
    if (is_taken) return;
    if (const auto other = find_exact(found->second.spec.arguments, "alternate-exchange"))
        visit(other->text().value_or(""), what, to);
}

std::vector<std::string> exchanges::route(
    std::string_view exchange, const routed& what,
    const std::function<bool(const std::string& queue)>& is_there) const {
    walk all{{}, {}, {}, is_there};
    visit(exchange, what, all);
    return std::move(all.queues);
}

}  // namespace waybill::rabbitmq::fake
