/// One connection to a server, method by method: what the transport's logic speaks with, be it a
/// real server behind rabbitmq-c (`io/`) or the one in memory (`server/`).
///
/// Belongs to one thread, which calls every function; `wait` alone is left early by another thread.
/// Nothing here retries, reconnects or decides: a connection that fell stays fallen, and the
/// transport opens another.
#pragma once

#include "transport/rabbitmq/values.hpp"
#include <waybill/error.hpp>
#include <waybill/headers.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace waybill::rabbitmq {

/// A number that the client chooses; 1 and up.
using channel_id = std::uint16_t;

/// What the server said when it refused something or closed a channel or the connection.
struct refusal {
    std::uint16_t code = 0;  ///< reply code (404, 406, ...); 0: the connection fell, or timed out
    std::string text;        ///< the server's own words, or the system's
};

/// Did the server end a connection for what was done on it? (The protocol's codes for that.)
[[nodiscard]] constexpr bool is_for_a_fault(const refusal& why) noexcept { return why.code >= 500; }

/// Is the connection gone with it, and not the channel alone?
[[nodiscard]] constexpr bool is_gone(const refusal& why) noexcept {
    constexpr std::uint16_t forced = 320;  // by a person, or a server that stops
    constexpr std::uint16_t no_vhost = 402;
    return why.code == 0 || why.code == forced || why.code == no_vhost || is_for_a_fault(why);
}

/// What a server told of itself when the connection was opened (connection.start and .tune).
struct server_facts {
    std::string product;  ///< "RabbitMQ"
    std::string version;  ///< "4.0.5"
    std::string cluster;
    std::uint32_t frame_max = 0;  ///< 0: no bound
    std::uint16_t channel_max = 0;
    std::string user;  ///< as whom we are logged in
};

/// The head of a message that arrives. Views are good during the call only.
struct arrival {
    channel_id channel = 0;
    std::string_view consumer;  ///< its tag; empty with `returned`
    std::uint64_t tag = 0;
    bool redelivered = false;
    std::string_view exchange;
    std::string_view key;
    std::span<const std::byte> packed_headers;  ///< properties and headers
    std::size_t body_size = 0;
};

/// A message that the server could not route (basic.return). It comes before the confirmation.
struct returned_message {
    channel_id channel = 0;
    std::uint16_t code = 0;
    std::string_view text;
    std::string_view exchange;
    std::string_view key;
    std::span<const std::byte> packed_headers;  ///< as it was published: they say which one it was
};

/// What the server sends by itself. Called by `wire::read`, on its thread; may say what is not
/// answered (`ack`, `publish`, ...), and asks nothing that is.
class wire_events {
public:
    /// A message for a consumer begins: says where its body of `head.body_size` bytes is to be
    /// written; null: nobody wants it. `arrived` follows once it is there, before anything else.
    virtual std::byte* begins(const arrival& head) = 0;
    virtual void arrived() = 0;
    virtual void returned(const returned_message& what) = 0;
    /// basic.ack and basic.nack of publishes, up to and including the tag when `multiple`.
    virtual void confirmed(channel_id channel, std::uint64_t tag, bool multiple, bool taken) = 0;
    /// The server ended a consumer (basic.cancel), and says not why: its queue is gone, or moved,
    /// or from 4.3 on an ack came too late.
    virtual void cancelled(channel_id channel, std::string_view consumer) = 0;
    /// The server closed the channel; it is gone with all that was in hand on it.
    virtual void channel_closed(channel_id channel, const refusal& why) = 0;
    /// connection.blocked and connection.unblocked; the reason is empty when it is over. Who asks
    /// of a server that blocks hears of it while he waits for the answer.
    virtual void blocked(std::string_view reason) = 0;

protected:
    ~wire_events() = default;
};

/// What exists under a name, or shall: queue.declare.
struct queue_spec {
    std::string name;
    bool durable = true;
    bool exclusive = false;
    bool auto_delete = false;
    headers arguments;  ///< x-queue-type and so on
};

struct exchange_spec {
    std::string name;
    std::string type = "direct";
    bool durable = true;
    bool auto_delete = false;
    bool internal = false;
    headers arguments;
};

/// What a declaration of a queue, or a passive look at one, tells.
struct queue_state {
    std::uint32_t messages = 0;  ///< ready
    std::uint32_t consumers = 0;
};

struct publication {
    std::string_view exchange;
    std::string_view key;
    std::span<const std::byte> packed_headers;  ///< properties and headers
    std::span<const std::byte> body;
    bool mandatory = true;
};

class wire {
public:
    virtual ~wire() = default;

    [[nodiscard]] virtual const server_facts& server() const noexcept = 0;

    // ---- answered: each waits for the server's reply, with the connection's own time limit, which
    // stands still while the server blocks the connection: it reads nothing then. A refusal has
    // closed the channel, unless it `is_gone`: then the connection is, by itself (the code is 0) or
    // because the server ended it, with the code and the words that it said. Deliveries of a
    // channel that is closed, by either side, and confirmations that were not read yet are not told
    // any more. @{
    template <class T>
    using answer = std::expected<T, refusal>;

    virtual answer<void> open_channel(channel_id channel) = 0;
    virtual answer<void> close_channel(channel_id channel) = 0;
    virtual answer<void> select_confirms(channel_id channel) = 0;
    /// For the consumers that begin on it from now on.
    virtual answer<void> prefetch(channel_id channel, std::uint16_t count) = 0;
    /// With `passive` nothing is made, and only the name counts.
    virtual answer<queue_state> declare(channel_id channel, const queue_spec& what,
                                        bool passive) = 0;
    virtual answer<void> declare(channel_id channel, const exchange_spec& what, bool passive) = 0;
    virtual answer<void> bind_queue(channel_id channel, std::string_view queue,
                                    std::string_view exchange, std::string_view key,
                                    const headers& arguments) = 0;
    virtual answer<void> bind_exchange(channel_id channel, std::string_view to,
                                       std::string_view from, std::string_view key,
                                       const headers& arguments) = 0;
    virtual answer<std::uint32_t> delete_queue(channel_id channel, std::string_view name,
                                               bool if_unused, bool if_empty) = 0;
    /// Deliveries may come before this returns; they are read by `read`.
    virtual answer<void> consume(channel_id channel, std::string_view queue, std::string_view tag,
                                 bool exclusive, const headers& arguments) = 0;
    virtual answer<void> cancel(channel_id channel, std::string_view tag) = 0;
    /// @}

    // ---- not answered: written at the latest by `flush`, in this order. On a channel that is not
    // open nothing is written: what is in hand there is given back, or not confirmed, anyway. @{
    /// The error (errc::refused): the protocol cannot hold this message. Nothing of it was written,
    /// and the channel works on.
    virtual std::expected<void, error> publish(channel_id channel, const publication& what) = 0;
    virtual void ack(channel_id channel, std::uint64_t tag, bool multiple) = 0;
    virtual void nack(channel_id channel, std::uint64_t tag, bool multiple, bool requeue) = 0;
    virtual void reject(channel_id channel, std::uint64_t tag, bool requeue) = 0;
    /// @}

    /// Writes what the server takes without waiting; the rest is kept, and `wait` goes on with it.
    /// Nothing else fails: here is said that the connection fell.
    virtual answer<void> flush() = 0;
    /// Handles everything that has come, without waiting, heartbeats included; false when the
    /// server has sent nothing. The refusal: the connection is gone (its code says how, 0: fell).
    virtual answer<bool> read(wire_events& to) = 0;
    /// Until the server may have sent something, `wake` was called, or that long has passed; no
    /// longer than a heartbeat allows.
    virtual void wait(std::optional<std::chrono::nanoseconds> at_most) = 0;
    /// Ends this wait, or the next one. Any thread.
    virtual void wake() noexcept = 0;
    /// From now on nobody waits for an answer of a server that blocks. Any thread.
    virtual void hurry() noexcept {}
    /// connection.close, with its reply; the wire is of no use then.
    virtual void close() noexcept = 0;
};

}  // namespace waybill::rabbitmq
