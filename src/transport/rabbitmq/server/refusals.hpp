/// The refusals of the server, in its words.
#pragma once

#include "transport/rabbitmq/wire.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::rabbitmq::fake {

/// A queue or an exchange, as the server names it in its texts.
[[nodiscard]] inline std::string named(std::string_view kind, std::string_view name,
                                       std::string_view vhost) {
    std::string text{kind};
    text.append(" '").append(name).append("' in vhost '").append(vhost).append("'");
    return text;
}

[[nodiscard]] inline refusal precondition_failed(std::string_view why) {
    return {406, "PRECONDITION_FAILED - " + std::string{why}};
}
[[nodiscard]] inline refusal access_refused(std::string_view why) {
    return {403, "ACCESS_REFUSED - " + std::string{why}};
}
[[nodiscard]] inline refusal not_found(std::string_view kind, std::string_view name,
                                       std::string_view vhost) {
    return {404, "NOT_FOUND - no " + named(kind, name, vhost)};
}
[[nodiscard]] inline refusal resource_locked(std::string_view queue, std::string_view vhost) {
    return {405, "RESOURCE_LOCKED - cannot obtain exclusive access to locked " +
                     named("queue", queue, vhost) +
                     ". It could be originally declared on another connection or the exclusive "
                     "property value does not match that of the original declaration."};
}
[[nodiscard]] inline refusal not_implemented(std::string_view why) {
    return {540, "NOT_IMPLEMENTED - " + std::string{why}};
}

/// The protocol's hard errors: the server closes the connection, not the channel alone.
[[nodiscard]] inline bool ends_connection(std::uint16_t code) {
    return code == 320 || code == 402 || (code >= 501 && code <= 505) || code == 530 ||
           code == 540 || code == 541;
}

}  // namespace waybill::rabbitmq::fake
