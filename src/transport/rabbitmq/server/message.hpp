/// A message as the server keeps it. Never changes once it is in a queue, so that queues share it;
/// what differs from queue to queue (counts, its time to live) stands in the queue's entry.
#pragma once

#include <waybill/headers.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace waybill::rabbitmq::fake {

using std::chrono::nanoseconds;

/// The server's record of what befell a message in one queue for one reason.
struct death {
    std::string queue;
    std::string reason;  ///< rejected, expired, maxlen, delivery_limit
    std::string exchange;
    std::vector<std::string> keys;
    std::int64_t count = 1;
    std::uint64_t seconds = 0;  ///< of the first time, since 1970
    std::string original_expiration{};
};

struct message {
    std::string exchange;
    std::vector<std::string> keys;  ///< the publish's own first, then those of CC and BCC
    headers with;                   ///< properties and headers
    std::vector<std::byte> body;
    std::vector<death> deaths{};  ///< newest first; from 4.0 on, else they stand in the headers
    bool is_persistent = false;
    std::uint8_t priority = 0;
    std::optional<nanoseconds> time_to_live{};  ///< its own
};
using message_ptr = std::shared_ptr<const message>;

}  // namespace waybill::rabbitmq::fake
