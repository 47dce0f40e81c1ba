/// Declaring what a service needs: exchanges, queues, bindings; and saying in words what a server
/// refused.
///
/// Belongs to the thread of the connection that it is given.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq {

/// Declares all of it, exchanges first. The channel is opened anew where the server closed it.
std::expected<void, error> declare_all(wire& on, channel_id channel, const broker::data& what);
/// One queue with its bindings, as its `presence` says.
std::expected<void, error> declare_queue(wire& on, channel_id channel, const queue::data& what);

/// The same for people, a line each: "queue orders (quorum, x-max-length 1000), bound to events by
/// order.#".
[[nodiscard]] std::vector<std::string> in_words(const broker::data& what,
                                                std::span<const source* const> read);

/// A refusal of something done to a queue or an exchange: what, where, and what to do. `where`
/// begins with "queue " or "exchange ".
[[nodiscard]] error explain_refusal(const refusal& why, std::string where);

}  // namespace waybill::rabbitmq
