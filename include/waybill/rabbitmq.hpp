/// RabbitMQ over AMQP 0-9-1.
///
/// Guarantee: at least once. A publish is a success only when the server has confirmed it and it
/// reached a queue. A copy, to be retried now or later, or the dead letter, is confirmed before the
/// original is acked; what waits does so in a queue of the server that is replicated and hands on
/// at least once, and outlives a kill of the service and a restart of the server. A kill may
/// deliver twice what was in hand, never lose it.
///
/// An address is a queue's name, or an exchange with a key, as `rabbitmq::exchange_key` writes it:
/// "/exchanges/<exchange>/<key>", both percent-encoded.
#pragma once

#include <waybill/detail/delay_unit.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/headers.hpp>
#include <waybill/rabbitmq_properties.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The transport for RabbitMQ.
namespace waybill::rabbitmq {

/// How a queue keeps its messages.
enum class queue_type : std::uint8_t {
    classic,  ///< on one node; counts no deliveries, so retries under a cap are copies
    quorum,   ///< replicated; counts deliveries
    stream,   ///< a log; it can give nothing back, so no subscription may read it here
};

/// What a queue does that is full.
enum class overflow : std::uint8_t {
    drop_head,       ///< its oldest messages go
    reject_publish,  ///< a publish is refused, and its publisher told
};

/// A queue: what a subscription reads, and what the service declares when it starts and after every
/// reconnect. Durable unless it says otherwise. Plain data behind a builder; nothing is checked
/// before `check` and the start, which name every mistake.
class WAYBILL_API queue {
public:
    /// A classic one, to be declared.
    explicit queue(std::string name);

    /// How it keeps its messages. Default: classic. @{
    queue& classic() { return type(queue_type::classic); }
    queue& quorum() { return type(queue_type::quorum); }
    queue& stream() { return type(queue_type::stream); }
    queue& type(queue_type kind);
    /// @}
    /// Does not outlive the server. Refused by servers from 4.3 on, unless it is exclusive.
    queue& transient();
    /// Of this connection alone, and gone with it.
    queue& exclusive();
    /// Gone with its last consumer.
    queue& auto_delete();

    /// How much it may hold, and what it does then. @{
    queue& max_length(std::uint64_t messages);
    queue& max_length_bytes(std::uint64_t bytes);
    queue& when_full(overflow what);
    /// @}
    /// How long a message may be ready in it, in whole milliseconds.
    queue& message_ttl(std::chrono::nanoseconds span);
    template <std::integral Number>
    queue& message_ttl(Number) {  // never compiles: says why
        (void)detail::delay_without_unit<Number>{};
        return *this;
    }
    /// How long it may be unused before the server deletes it with what it holds.
    queue& expires(std::chrono::nanoseconds span);
    /// The server's own dead letter: where it sends what is rejected, expires or is too much. An
    /// empty key: each message keeps its own.
    queue& server_dead_letter(std::string_view exchange, std::string_view key = {});
    /// Of several consumers one reads; the next takes over when it ends.
    queue& single_active_consumer();
    /// Quorum queues: after so many failed deliveries the server itself drops the message, or sends
    /// it to the server's dead letter. 0: none.
    queue& delivery_limit(std::uint32_t failures);
    /// Any other argument of the declaration.
    queue& argument(std::string_view name, header_value value);

    /// Binds it to an exchange; to a headers exchange by arguments. May be called several times.
    queue& bind(std::string exchange, std::string key, const headers& arguments = {});

    /// It must be there already; its arguments are not compared.
    queue& passive();
    /// Others declare it: nothing of it is compared. Its type must be said here when it is not
    /// classic.
    queue& declared_elsewhere();

    /// At most so many deliveries are in hand at once. Default: four times the lanes, at least 16
    /// and at most 256.
    queue& prefetch(std::uint16_t count);
    /// No other consumer may read it meanwhile.
    queue& exclusive_consumer();
    /// Copies keep the server's own record of deaths (`x-death`), which they leave out by default:
    /// for queues that are shared with services that count by it.
    queue& keep_deaths();
    /// Retries over what a team has already, as in "a retry queue with a TTL and a dead-letter
    /// exchange": every retry is a confirmed copy to the address `retry`, whose queue brings it
    /// back after its own TTL, and what is spent goes to the address `failed`. Both must be there,
    /// are given as `exchange_key` writes them, and are not looked into. Attempts are counted in
    /// Waybill's own header, and copies keep `x-death`, so consumers that count by that can read
    /// the same queue. A `retry_after(d)` waits as long as the queue says, and is logged as
    /// `refused_outcome`; `retry_backoff` is an error of `check`. The subscription says the cap.
    queue& legacy_retry_queues(std::string retry, std::string failed);

    /// What `subscribe` takes.
    operator source() const;

    /// For the transport.
    struct data;
    /// What was said of it; good until it is changed.
    [[nodiscard]] const data& said() const noexcept { return *data_; }

private:
    data& change();
    std::shared_ptr<const data> data_;
};

/// An exchange to be declared, durable unless it says otherwise.
class WAYBILL_API exchange {
public:
    /// The kinds that every server has; another by its name. @{
    [[nodiscard]] static exchange direct(std::string name) { return {std::move(name), "direct"}; }
    [[nodiscard]] static exchange fanout(std::string name) { return {std::move(name), "fanout"}; }
    [[nodiscard]] static exchange topic(std::string name) { return {std::move(name), "topic"}; }
    [[nodiscard]] static exchange headers(std::string name) { return {std::move(name), "headers"}; }
    exchange(std::string name, std::string type);
    /// @}

    /// Does not outlive the server.
    exchange& transient();
    /// Gone with its last binding.
    exchange& auto_delete();
    /// Takes nothing from publishers, only from other exchanges.
    exchange& internal();
    /// Where it sends what none of its bindings takes.
    exchange& alternate(std::string_view exchange);
    /// Any other argument of the declaration.
    exchange& argument(std::string_view name, header_value value);
    /// Takes what another exchange routes here. May be called several times.
    exchange& bind(std::string from, std::string key, const waybill::headers& arguments = {});
    /// It must be there already; its type and arguments are not compared.
    exchange& passive();

    /// For the transport.
    struct data;
    /// What was said of it; good until it is changed.
    [[nodiscard]] const data& said() const noexcept { return *data_; }

private:
    data& change();
    std::shared_ptr<const data> data_;
};

/// The address of what is published to an exchange with a key.
[[nodiscard]] WAYBILL_API std::string exchange_key(std::string_view exchange, std::string_view key);

/// What a client shows to the server, and wants of it.
struct tls {
    std::string ca_file;           ///< PEM; empty: the system's authorities
    std::string certificate_file;  ///< the client's own, PEM; empty: none, and no key then
    std::string key_file;          ///< of that certificate, PEM, not encrypted
    /// that an authority vouches for the server
    bool verify_certificate = true;
    /// that the certificate names the host
    bool verify_host_name = true;
};

/// Where a wait for a later time takes place.
enum class waits : std::uint8_t {
    in_queues,  ///< of the server, made by the service: nothing is lost by a kill
    in_memory,  ///< of the service: no queues are made, and a kill loses what waits
};

/// What `app.broker(...)` takes: a server, or several of one cluster, by URL:
/// `amqp://user:password@host:5672/vhost`, several hosts by commas, `amqps` for TLS. Percent-encode
/// what a URL cannot hold. The query may say heartbeat (seconds), connection_timeout (ms),
/// channel_max, frame_max, auth_mechanism (plain, external), and for amqps cacertfile, certfile,
/// keyfile, verify (verify_peer, verify_none), server_name_indication.
///
/// One connection reads and another publishes, each owned by a thread of its own. Never changes
/// once the app has it; mistakes are found by `check` and at start, all at once. No text ever holds
/// the password.
class WAYBILL_API broker final : public detail::broker_config {
public:
    /// Mistakes in the URL are told by `check` and at start.
    explicit broker(std::string_view url);

    /// Declared when the service starts and after every reconnect, exchanges first. @{
    broker& declare(queue what);
    broker& declare(exchange what);
    /// @}
    /// For amqps; what the URL says as well is replaced.
    broker& with(tls how);
    /// In the server's list of connections, with what each is for. Default: the app's name.
    broker& connection_name(std::string name);
    /// How many publishes may be on their way unconfirmed. Default 1,000.
    broker& publish_window(std::size_t count);
    /// Where delays take place. Default: in queues of the server.
    broker& delays(waits where);

    /// What the runtime asks of every transport. @{
    [[nodiscard]] std::string_view transport_name() const noexcept override { return "rabbitmq"; }
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] std::vector<std::string> topology(
        std::span<const source* const> read) const override;
    [[nodiscard]] std::vector<error> problems() const override;
    [[nodiscard]] detail::capabilities capabilities_of(const source& from) const override;
    [[nodiscard]] std::optional<error> check_address(std::string_view address) const override;
    [[nodiscard]] std::optional<error> check_source(const source& from) const override;
    [[nodiscard]] bool is_same_server(const broker_config& other) const override;
    [[nodiscard]] bool reads(const source& from, std::string_view address) const override;
    [[nodiscard]] std::expected<std::unique_ptr<detail::transport>, error> connect(
        detail::transport_host& host) const override;
    /// @}

    /// For the transport.
    struct data;

private:
    data& change();
    std::shared_ptr<const data> data_;
};

}  // namespace waybill::rabbitmq
