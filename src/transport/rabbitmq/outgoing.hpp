/// A message as the transport sends it: where it goes, the properties that are not said, the
/// headers of a wait.
#pragma once

#include "transport/rabbitmq/publish.hpp"
#include <waybill/error.hpp>
#include <waybill/outgoing.hpp>

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace waybill::rabbitmq {

struct sent_to {
    std::string_view exchange;
    std::string_view key;
};

/// As what the service is connected. Constant while it is.
struct sender {
    std::string user;
    std::uint32_t frame_max = 0;  ///< 0: no bound
};

/// Persistent unless it says otherwise; with its own time to live; with a due time (since the
/// epoch) where it is not 0. The error (errc::refused): the protocol cannot hold it (a name, or
/// headers beyond a frame).
[[nodiscard]] std::expected<void, error> fill_message(publish& to, sent_to where,
                                                      const outgoing_view& message,
                                                      std::chrono::nanoseconds due,
                                                      const sender& by);

}  // namespace waybill::rabbitmq
