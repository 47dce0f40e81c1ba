/// Whether a queue that somebody else has declared is a stream, which gives nothing back.
///
/// Belongs to the thread of the connection that it is given.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>

#include <expected>
#include <string_view>

namespace waybill::rabbitmq {

inline constexpr std::string_view why_no_stream =
    "a stream gives nothing back, so a delivery could not be retried";
inline constexpr std::string_view instead_of_stream =
    "read a quorum or a classic queue that is bound to the same exchange";

/// An error where this queue is there and is a stream; also where it is not there, or cannot be
/// looked at. Nothing is made and nothing changed, whatever exists. Without the right to configure
/// the queue its type cannot be learnt, and nothing is said. The channel is opened anew where the
/// server closed it.
[[nodiscard]] std::expected<void, error> refuse_stream(wire& on, channel_id channel,
                                                       const queue::data& what);

}  // namespace waybill::rabbitmq
