/// The arguments of a declaration: what they mean, which a server refuses, and whether a second
/// declaration says the same.
#pragma once

#include "transport/rabbitmq/server/deaths.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

namespace waybill::rabbitmq::fake {

enum class kind : std::uint8_t { classic, quorum, stream };
enum class overflows : std::uint8_t { drop_head, reject_publish, reject_publish_dlx };

/// What a queue's arguments come to.
struct queue_policy {
    kind type = kind::classic;
    std::optional<nanoseconds> time_to_live{};
    std::optional<nanoseconds> expires{};
    std::optional<std::uint64_t> most_messages{};
    std::optional<std::uint64_t> most_bytes{};
    overflows when_full = overflows::drop_head;
    std::optional<dead_letter_target> dead_letter{};
    bool is_at_least_once = false;  ///< the dead stay until their target has them
    bool has_single_active_consumer = false;
    std::optional<std::int64_t> delivery_limit{};
    std::uint8_t most_priority = 0;
};

/// The refusal: the server does not take such a declaration.
[[nodiscard]] std::expected<queue_policy, refusal> policy_of(const queue_spec& what,
                                                             std::string_view vhost,
                                                             const server_options& how);

/// What a second declaration says otherwise than the first. @{
[[nodiscard]] std::optional<refusal> difference(const queue_spec& current,
                                                const queue_spec& received, std::string_view vhost,
                                                server_version version);
[[nodiscard]] std::optional<refusal> difference(const exchange_spec& current,
                                                const exchange_spec& received,
                                                std::string_view vhost);
/// @}

}  // namespace waybill::rabbitmq::fake
