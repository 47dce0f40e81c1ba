/// Waiting queues: how a delay becomes stretches in queues of the server whose TTL is that stretch
/// (docs/architecture.md, section 5). Pure.
///
/// Guarantee: no wait ends early, and none needs more stretches than its significant digits and its
/// weeks. A queue's TTL never meets the server's limit of 32 bits.
#pragma once

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/rabbitmq.hpp>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq {

using std::chrono::milliseconds;

/// What is left below this is waited in hand.
inline constexpr milliseconds shortest_stretch{100};
inline constexpr milliseconds longest_stretch = std::chrono::days{7};

/// The first stretch of a wait and what is left behind it. A stretch of 0: too short for a queue.
struct stretch {
    milliseconds first{0};
    std::chrono::nanoseconds left{0};
    friend bool operator==(const stretch&, const stretch&) = default;
};

/// `constants` are delays that come again and again: each is one stretch although it is not on the
/// grid.
[[nodiscard]] stretch first_stretch(std::chrono::nanoseconds delay,
                                    std::span<const milliseconds> constants);

/// Every stretch of the grid, in order: two significant digits, at least 100 ms apart.
[[nodiscard]] std::vector<milliseconds> whole_grid();

/// What what is to go back to this queue waits in: quorum, unless the queue itself goes with its
/// connection or with the server.
[[nodiscard]] queue_type type_of_waits(const queue_spec& origin) noexcept;

/// "waybill.wait.v1.<ms>.<type>.<hash of vhost and origin>".
[[nodiscard]] std::string waiting_queue_name(milliseconds span, queue_type type,
                                             std::string_view vhost, std::string_view origin);
/// The queue of a stretch, which sends what has waited on to `back_to`.
[[nodiscard]] queue_spec waiting_queue(milliseconds span, queue_type type, std::string_view vhost,
                                       const target& back_to);

}  // namespace waybill::rabbitmq
