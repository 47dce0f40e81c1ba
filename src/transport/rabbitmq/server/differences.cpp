// Whether a second declaration says the same as the first.
#include "transport/rabbitmq/server/arguments.hpp"
#include "transport/rabbitmq/server/known_arguments.hpp"
#include "transport/rabbitmq/server/matching.hpp"
#include "transport/rabbitmq/server/refusals.hpp"
#include "transport/rabbitmq/server/table.hpp"

#include <string>

namespace waybill::rabbitmq::fake {
namespace {

std::string shown_with_type(const std::optional<header_value>& value) {
    if (!value) return "none";
    return "the value '" + shown(*value) + "' of type '" + std::string{type_name(*value)} + "'";
}

std::string but_current(std::string_view received, std::string_view current) {
    std::string text = "received '";
    return text.append(received).append("' but current is '").append(current).append("'");
}

refusal inequivalent(std::string_view argument, const std::string& where, const std::string& how) {
    return precondition_failed("inequivalent arg '" + std::string{argument} + "' for " + where +
                               ": " + how);
}

std::optional<refusal> flag_difference(std::string_view name, const std::string& where,
                                       bool current, bool received) {
    if (current == received) return std::nullopt;
    return inequivalent(name, where,
                        but_current(received ? "true" : "false", current ? "true" : "false"));
}

std::optional<refusal> argument_difference(std::string_view name, const std::string& where,
                                           const headers& current, const headers& received) {
    const auto was = find_exact(current, name);
    const auto is = find_exact(received, name);
    if (!was && !is) return std::nullopt;
    if (was && is) {
        if (is_same_value(*was, *is)) return std::nullopt;
        if (type_name(*was) == type_name(*is))
            return inequivalent(name, where, but_current(shown(*is), shown(*was)));
    }
    auto now =
        was ? "the value '" + shown(*was) + "' of type '" + std::string{type_name(*was)} + "'"
            : std::string{"none"};
    return inequivalent(name, where, "received " + shown_with_type(is) + " but current is " + now);
}

std::optional<refusal> type_difference(const std::string& where, const headers& current,
                                       const headers& received, server_version version) {
    const auto was = queue_type_in(current);
    const auto is = queue_type_in(received);
    if (was == is) return std::nullopt;
    if (version == server_version::v3_10)
        return argument_difference("x-queue-type", where, current, received);
    return inequivalent("x-queue-type", where, but_current(is, was));
}

}  // namespace

std::optional<refusal> difference(const queue_spec& current, const queue_spec& received,
                                  std::string_view vhost, server_version version) {
    const auto where = named("queue", received.name, vhost);
    if (current.exclusive != received.exclusive) return resource_locked(received.name, vhost);
    if (auto no = flag_difference("durable", where, current.durable, received.durable)) return no;
    if (auto no = flag_difference("auto_delete", where, current.auto_delete, received.auto_delete))
        return no;
    const auto type = kind_named(queue_type_in(current.arguments)).value_or(kind::classic);
    for (const auto& each : known_arguments) {
        if (!each.is_known_to(type)) continue;
        auto no =
            each.name == "x-queue-type"
                ? type_difference(where, current.arguments, received.arguments, version)
                : argument_difference(each.name, where, current.arguments, received.arguments);
        if (no) return no;
    }
    return std::nullopt;
}

std::optional<refusal> difference(const exchange_spec& current, const exchange_spec& received,
                                  std::string_view vhost) {
    const auto where = named("exchange", received.name, vhost);
    if (current.type != received.type)
        return inequivalent("type", where, but_current(received.type, current.type));
    if (auto no = flag_difference("durable", where, current.durable, received.durable)) return no;
    if (auto no = flag_difference("auto_delete", where, current.auto_delete, received.auto_delete))
        return no;
    if (auto no = flag_difference("internal", where, current.internal, received.internal))
        return no;
    return argument_difference("alternate-exchange", where, current.arguments, received.arguments);
}

}  // namespace waybill::rabbitmq::fake
