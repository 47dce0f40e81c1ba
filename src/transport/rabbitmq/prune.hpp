/// Finds the waiting queues of an origin and takes away those that nothing waits in
/// (docs/rabbitmq.md). The protocol lists no queues, so every name of the grid is asked for.
///
/// Guarantee: nothing that waits is lost. A classic queue is deleted by the server itself and only
/// when it is empty and unused. A quorum queue knows no such condition: it goes only when it was
/// found empty twice, its own TTL apart, while its origin is there, empty, and read by nobody; the
/// second look is the last thing before its own deletion. What begins to wait between these two
/// goes along, and the server says how many they were. It counts nowhere what has waited and could
/// not be handed on yet; after its own restart that takes as long as its
/// `dead_letter_worker_publisher_confirm_timeout` (180 s), and a quorum queue that is pruned before
/// takes along what it holds so.
#pragma once

#include "transport/rabbitmq/waits.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>
#include <waybill/rabbitmq.hpp>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq {

/// A waiting queue that there is.
struct found_queue {
    std::string name;
    std::string origin;  ///< the address that what waits comes back to
    milliseconds span{0};
    queue_type type = queue_type::classic;
    std::uint32_t messages = 0;
    bool is_deleted = false;
    std::uint32_t gone_along = 0;  ///< messages that were lost with it when it was deleted
    std::string kept;  ///< why it was not deleted, for a person; empty: nobody asked, or it was
};

struct prune_settings {
    std::string vhost;
    /// Quorum queues of a longer TTL are named and kept.
    milliseconds longest_wait = std::chrono::minutes{1};
    /// The delays to ask for: the grid, and those of declared back-offs that are not on it.
    std::vector<milliseconds> spans = whole_grid();
    /// Told as names are asked for: so many of so many.
    std::function<void(std::size_t done, std::size_t all)> progress;
    /// Lets that long pass, for so many quorum queues that are empty now.
    std::function<void(std::chrono::nanoseconds, std::size_t)> pause;
};

/// The waiting queues of these origins, by origin, type and delay. An error: the connection fell,
/// the user has no right to look, or an origin is no address.
[[nodiscard]] std::expected<std::vector<found_queue>, error> find_waiting_queues(
    wire& on, std::span<const std::string> origins, const prune_settings& how);

/// The same, and what can go without loss is gone.
[[nodiscard]] std::expected<std::vector<found_queue>, error> prune_waiting_queues(
    wire& on, std::span<const std::string> origins, const prune_settings& how);

}  // namespace waybill::rabbitmq
