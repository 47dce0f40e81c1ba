/// A RabbitMQ server inside of the process, for tests: a program that is linked with
/// `waybill::rabbitmq_testing` and includes this header can have its broker's URL answered by it.
///
/// Guarantee: what it does with messages is what servers of its version were seen to do. It is
/// there for the URL's host and port, whatever the vhost, which is made when it is first used. An
/// app that a test drives by hand always gets one; any other app does where one stands. Nothing
/// outlives the process.
#pragma once

#include <waybill/clock.hpp>
#include <waybill/export.h>
#include <waybill/headers.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq {

namespace fake {
class server;
class vhost;
}  // namespace fake

/// Whose behaviour it has.
enum class server_version : std::uint8_t {
    v3_10,  ///< 3.10.8
    v4_0,   ///< 4.0.5
    v4_3,   ///< 4.3.6
};

/// What a fake server is to be like.
struct server_options {
    /// Whose behaviour it has.
    server_version version = server_version::v4_0;
    /// Above it a publish closes its channel. Default: 16 MiB, and 128 MiB for 3.10.
    std::optional<std::size_t> most_message_bytes{};
    /// Queues that are neither durable nor exclusive are refused, as a server from 4.3 on does that
    /// is configured so.
    bool refuses_transient_queues = false;
    /// Who may log in; an empty user: anybody. @{
    std::string user{};
    std::string password{};
    /// @}
    /// Its time until an app is connected, whose clock it then has. Default: it stands still.
    std::shared_ptr<clock> time{};
};

/// How a publish of an app is to fail.
enum class publish_fault : std::uint8_t {
    nacked,    ///< the server does not take it
    returned,  ///< no queue takes it, and it is confirmed; where it is mandatory it is sent back
    channel_closed,    ///< the server closes the channel (406)
    connection_ended,  ///< the server ends the connection for it (541): not taken
    connection_lost,   ///< the connection falls first: not taken, and nobody knows
    taken_and_lost,    ///< a queue has it, and the connection falls before the confirmation
};

/// Where a publish goes: a queue, by the default exchange, or an exchange with a key.
struct WAYBILL_API publish_target {
    /// A queue.
    publish_target(std::string_view queue) : key{queue} {}
    /// A queue.
    publish_target(const std::string& queue) : key{queue} {}
    /// A queue.
    publish_target(const char* queue) : key{queue} {}
    /// An exchange with a key.
    publish_target(std::string_view to, std::string_view with_key) : exchange{to}, key{with_key} {}

    /// empty: the default exchange
    std::string exchange;
    /// The routing key.
    std::string key;
};

/// A copy of a message in a queue.
struct stored_message {
    std::string exchange;  ///< to which it was published, or dead-lettered
    /// The routing key.
    std::string key;
    headers with;  ///< properties (":content_type") and headers
    /// As it was published.
    std::string payload;
    std::uint64_t deliveries = 0;  ///< how often it was in a consumer's hand
};

/// Why a message left without having been acked and without a dead letter of the server.
struct removal {
    /// where it was
    std::string_view queue;
    std::string_view
        reason;  ///< expired, maxlen, rejected, delivery_limit, cycle, deleted, unroutable
    /// Properties and headers, during the call.
    std::span<const std::byte> packed_headers;
};

/// A dead letter of the server's own: a queue to which it passed a message that died in another.
struct movement {
    /// where it died
    std::string_view from;
    std::string_view reason;  ///< expired, maxlen, rejected, delivery_limit
    /// where it is now
    std::string_view to;
    bool is_first = true;  ///< of the queues that take it
    /// Properties and headers, during the call.
    std::span<const std::byte> packed_headers;
};

/// A handle: copies mean the same server. Thread-safe; no call waits. What concerns queues is about
/// the vhost of the URL.
class WAYBILL_API fake_server {
public:
    /// The server that stands at this URL's hosts, or a new one of the default options. Throws
    /// std::invalid_argument for a URL that a client could not read.
    explicit fake_server(std::string_view url = "amqp://127.0.0.1:5672");
    /// A new one. Throws std::invalid_argument also where one stands there already.
    fake_server(std::string_view url, const server_options& how);

    // ---- looking.
    /// Publishes from outside of any app: says how many queues took it. Planned faults do not meet
    /// it. Throws std::invalid_argument where the server would close the channel.
    std::size_t publish(const publish_target& to, std::string_view payload,
                        const headers& with = {}) const;
    /// The same for bytes.
    std::size_t publish(const publish_target& to, std::span<const std::byte> payload,
                        const headers& with = {}) const;
    /// The queues that would each get a copy of what is published there now.
    [[nodiscard]] std::vector<std::string> reached_by(const publish_target& to,
                                                      const headers& with = {}) const;
    /// What is ready in a queue; 0 where there is none of the name.
    [[nodiscard]] std::size_t queued(std::string_view queue) const;
    /// What consumers of a queue have in hand; of all queues.
    [[nodiscard]] std::size_t unsettled(std::string_view queue) const;
    /// The same for all queues together.
    [[nodiscard]] std::size_t unsettled() const;
    /// What is ready in queues without consumers whose names begin with "waybill.wait.v1.".
    [[nodiscard]] std::size_t waiting() const;
    /// What is ready, in the order in which it would be delivered.
    [[nodiscard]] std::vector<stored_message> messages(std::string_view queue) const;
    /// The names of all queues, in order.
    [[nodiscard]] std::vector<std::string> queues() const;
    /// Is there a queue of that name?
    [[nodiscard]] bool exists(std::string_view queue) const;
    /// How many read it.
    [[nodiscard]] std::size_t consumers(std::string_view queue) const;
    /// The arguments of its declaration; none where there is no such queue.
    [[nodiscard]] headers arguments(std::string_view queue) const;
    /// The names of the connections that stand, oldest first.
    [[nodiscard]] std::vector<std::string> connections() const;
    /// The last methods of the connections whose names begin so, oldest first, one a line: "client
    /// basic.publish orders", "server basic.ack 3 multiple". The server keeps 10,000 lines.
    [[nodiscard]] std::vector<std::string> trace(std::string_view connection = {}) const;

    // ---- what happens to a server.
    /// Every connection falls; nothing of what was on its way arrives.
    void drop_connections() const;
    /// From now on nobody can connect, or again.
    void refuse_connections(bool refuses) const;
    /// Transient queues, exchanges and messages go; the rest stays, and connections fall.
    void restart() const;
    /// With what it holds; consumers are cancelled. Says whether there was one.
    bool delete_queue(std::string_view queue) const;
    /// With its bindings, to and from; queues stay. Says whether there was one: those that every
    /// vhost has are never deleted.
    bool delete_exchange(std::string_view exchange) const;
    /// The next publishes of apps to exactly this exchange and key end so. Replaces what was
    /// planned for that place; 0 times cancels it.
    void fail_publishes(const publish_target& to, std::size_t times,
                        publish_fault how = publish_fault::nacked) const;
    /// The next declarations of this queue by apps end their connection (541), as one does for
    /// which a cluster has no majority. Replaces what was planned for it; 0 times cancels it.
    void fail_declarations(std::string_view queue, std::size_t times) const;
    /// A lack of memory or disk: connections that publish are told and not read any more until
    /// `unblock`.
    void block(std::string_view reason = "low on memory") const;
    /// It has memory again.
    void unblock() const;
    /// Confirms come out of order and several at once from now on, by chance, the same for the same
    /// seed.
    void confirm_order(std::uint64_t seed) const;

    // ---- for whoever keeps a book of every message beside the server.
    /// Told, under the server's lock, of each message that leaves unacked and for good.
    void watch_removals(std::function<void(const removal&)> told) const;
    /// Told, under the server's lock, of each queue that takes a dead letter of the server's own.
    void watch_moves(std::function<void(const movement&)> told) const;
    /// Takes out everything that is ready or in hand, and visits it.
    void drain(const std::function<void(const std::string& queue, const stored_message& message)>&
                   visit) const;
    /// Takes out what is ready in a queue, which stays, and visits it.
    void drain(std::string_view queue,
               const std::function<void(const stored_message& message)>& visit) const;
    /// When the server itself has something to do, on its clock. @{
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const;
    std::size_t tick(std::chrono::nanoseconds now, std::size_t limit) const;
    /// @}

private:
    [[nodiscard]] fake::vhost& home() const;

    std::shared_ptr<fake::server> server_;
    std::string vhost_;
};

namespace fake {
/// Puts the fake server in the place of real ones in this program.
WAYBILL_API bool install() noexcept;
/// In each file that includes this header, so that a static library's code is never left out.
inline const bool is_installed = install();
}  // namespace fake

}  // namespace waybill::rabbitmq
