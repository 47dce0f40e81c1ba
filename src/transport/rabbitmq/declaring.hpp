/// Declaring what a service needs: exchanges, queues, bindings. The channel is opened anew where
/// the server closed it for a refusal.
///
/// Belongs to the thread of the connection that it is given. An error of the code errc::connection
/// says that the connection fell; any other is a refusal of what it names.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>

#include <expected>
#include <functional>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

/// A queue or an exchange that is to be there, or one of its bindings.
struct declaration {
    const void* of = nullptr;  ///< which of them: where it is not made, its bindings wait for it
    bool makes = true;         ///< it itself, not a binding
    std::function<std::expected<void, error>(wire&, channel_id)> act;
};

/// All that is declared, in an order in which it can be: exchanges first. Views `what`.
[[nodiscard]] std::vector<declaration> declarations_of(const broker::data& what);

/// Up to the first error.
std::expected<void, error> declare_all(wire& on, channel_id channel, const broker::data& what);
/// Past each refusal: what was done leaves the list. Says what was refused, for a person; empty
/// when nothing is left. An error: the connection fell, and the list is as it was.
std::expected<std::string, error> declare_most(wire& on, channel_id channel,
                                               std::vector<declaration>& all);
/// One queue with its bindings, as its `presence` says.
std::expected<void, error> declare_queue(wire& on, channel_id channel, const queue::data& what);

}  // namespace waybill::rabbitmq
