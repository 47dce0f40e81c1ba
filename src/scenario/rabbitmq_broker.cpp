#include "scenario/rabbitmq_broker.hpp"

#include "scenario/rabbitmq_options.hpp"
#include "scenario/rabbitmq_topology.hpp"
#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/waits.hpp"

#include <map>
#include <optional>

namespace waybill::scenario {
namespace {

void add(std::set<std::string>& to, const answers& list) {
    for (const auto& each : list) {
        for (const auto& one : each.publishes) to.insert(one.to);
    }
}

struct collector {
    std::set<std::string>& to;
    void operator()(const step::publish& one) const { to.insert(one.to); }
    void operator()(const step::fail_publishes& one) const { to.insert(one.to); }
    void operator()(const step::remove& one) const { to.insert(one.address); }
    void operator()(const auto&) const {}
};

/// The addresses at which messages must find a queue, without the file's own declarations.
std::set<std::string> published_to(const scenario& told) {
    std::set<std::string> all;
    for (const auto& each : told.subscriptions) {
        if (each.declared.retry_to) all.insert(*each.declared.retry_to);
        if (each.declared.reply_to) all.insert(*each.declared.reply_to);
        add(all, each.handler);
        for (const auto& [payload, list] : each.handler_for) add(all, list);
    }
    for (const auto& each : told.steps) {
        if (const auto* one = std::get_if<step::publish>(&each)) all.insert(one->to);
    }
    for (const auto& each : told.subscriptions) {
        all.erase(each.declared.from.name);
        if (each.declared.dead_letter) all.erase(*each.declared.dead_letter);
    }
    return all;
}

}  // namespace

std::set<std::string> addresses_of(const scenario& told) {
    std::set<std::string> all;
    for (const auto& each : told.subscriptions) {
        const auto& declared = each.declared;
        all.insert(declared.from.name);
        for (const auto& one : {declared.dead_letter, declared.retry_to, declared.reply_to}) {
            if (one) all.insert(*one);
        }
        add(all, each.handler);
        for (const auto& [payload, list] : each.handler_for) add(all, list);
    }
    for (const auto& each : told.steps) std::visit(collector{all}, each);
    return all;
}

rabbitmq::broker rabbitmq_broker_of(const scenario& told, std::string_view url) {
    const auto& how = static_cast<const rabbitmq_options&>(*told.broker);
    rabbitmq::broker made{url};
    for (const auto& each : how.exchanges) made.declare(each);
    for (const auto& each : how.queues) made.declare(each);
    std::set<std::string> names;
    for (const auto& address : published_to(told)) {
        const auto where = rabbitmq::read_address(address);
        if (where && where->is_queue()) names.insert(where->key);
    }
    for (const auto& each : how.bindings) names.insert(each.queue);
    for (const auto& each : told.subscriptions) names.erase(each.declared.from.name);
    for (const auto& name : names) {
        if (how.find(name) != nullptr) continue;
        rabbitmq::queue plain{name};
        bind_loosely(plain, name, how);
        made.declare(std::move(plain));
    }
    return made;
}

bool is_waiting_queue(std::string_view name) { return name.starts_with("waybill.wait.v1."); }

std::string origin_of(std::string_view waiting_queue, std::string_view vhost,
                      const std::set<std::string>& addresses) {
    const auto hash = waiting_queue.substr(waiting_queue.rfind('.') + 1);
    for (const auto& each : addresses) {
        const auto name = rabbitmq::waiting_queue_name(std::chrono::milliseconds{1},
                                                       rabbitmq::queue_type::classic, vhost, each);
        if (name.ends_with(hash)) return each;
    }
    return {};
}

}  // namespace waybill::scenario
