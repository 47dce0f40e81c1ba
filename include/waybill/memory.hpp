/// The in-memory transport: a broker inside the process, for tests, tools and services whose
/// messages need not outlive it.
///
/// Guarantee: at least once, in order of publishing for each reader. It counts failed deliveries
/// and delays redeliveries itself, so only dead letters are copies. The server stands outside of
/// the app, as a real one does: a stop of the app leaves what is queued and what waits in it, with
/// the counts, and a restart finds them. A kill of the process loses everything.
#pragma once

#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/headers.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace waybill::memory {

class store;

/// What a server counts of each message, and tells with its next delivery.
enum class counting : std::uint8_t {
    failures,  ///< deliveries that were settled as failed, or died with their connection
    returns,   ///< every return, also of what no handler saw: a stop, a cut connection
    none,
};

/// What a server is to be like. With `counting::none` and without delays it is the model of a
/// transport that can do neither: every retry is a confirmed copy. With `counting::returns` and a
/// limit of 20 it counts as a RabbitMQ quorum queue before 4.3 does.
struct options {
    counting counts = counting::failures;
    bool delays = true;           ///< redeliveries and copies can wait in it
    bool outlives_crash = false;  ///< `crash` returns what is in hand instead of emptying it
    /// The return that raises a message's count above this drops the message, as a queue without a
    /// dead letter of its own does: it is delivered `delivery_limit + 1` times at most. 0: no
    /// limit.
    std::uint32_t delivery_limit = 0;
};

/// How a server fails a publish, for tests.
enum class publish_fault : std::uint8_t {
    failed,          ///< not taken this time
    unroutable,      ///< no queue or subscriber took it
    refused,         ///< never to be taken
    lost,            ///< the connection fell first: not taken, and nobody knows
    taken_and_lost,  ///< taken, and the connection fell before the confirmation
};

/// One broker. A handle: copies mean the same server, which lives as long as any of them or a
/// `broker` made from one. Thread-safe. Apps that share a server share a clock.
class WAYBILL_API server {
public:
    server();
    explicit server(options how);

    /// Publishes from outside of any app.
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(std::string_view address, std::span<const std::byte> payload,
                                       const headers& with = {}) const;
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(std::string_view address, std::string_view payload,
                                       const headers& with = {}) const;

    /// What is ready at an address or for a source, not what is in a reader's hand or waits.
    [[nodiscard]] std::size_t queued(std::string_view name) const;
    /// Deliveries that are in some reader's hand.
    [[nodiscard]] std::size_t unsettled() const;
    /// Messages whose delay has not passed.
    [[nodiscard]] std::size_t waiting() const;

    /// Messages that a return raised above the delivery limit, since the server was made.
    [[nodiscard]] std::uint64_t dropped_at_limit() const;

    /// For tests: the next `times` publishes to `address` by an app end so. Replaces what was
    /// planned for that address; 0 cancels it.
    void fail_publishes(std::string_view address, std::size_t times,
                        publish_fault how = publish_fault::failed) const;
    /// For tests: every app's deliveries become stale and come again, counted.
    void drop_connections() const;
    /// For tests: the process that holds the deliveries dies. Empties the server unless it
    /// outlives crashes.
    void crash() const;

    [[nodiscard]] const std::shared_ptr<store>& shared() const noexcept { return store_; }

private:
    std::shared_ptr<store> store_;
};

/// What `app.broker(...)` takes.
class WAYBILL_API broker final : public detail::broker_config {
public:
    /// A server of its own.
    broker();
    explicit broker(options how);
    /// A server that others know too.
    explicit broker(const server& at);

    [[nodiscard]] const memory::server& server() const noexcept { return server_; }

    [[nodiscard]] std::string_view transport_name() const noexcept override { return "memory"; }
    [[nodiscard]] std::string describe() const override { return "memory"; }
    [[nodiscard]] detail::capabilities capabilities_of(const source& from) const override;
    [[nodiscard]] std::optional<error> check_address(std::string_view address) const override;
    [[nodiscard]] std::optional<error> check_source(const source& from) const override;
    [[nodiscard]] bool is_same_server(const broker_config& other) const override;
    [[nodiscard]] bool reads(const source& from, std::string_view address) const override;
    [[nodiscard]] std::expected<std::unique_ptr<detail::transport>, error> connect(
        detail::transport_host& host) const override;

private:
    memory::server server_;
};

/// A competing source: each message goes to one of its readers. The name may be a pattern: words
/// between dots, `*` for any one word, `>` at the end for one word or more.
WAYBILL_API source queue(std::string name);

/// A fan-out source: every app that reads it gets each message published from then on. The name
/// may be a pattern.
WAYBILL_API source fan_out(std::string name);

}  // namespace waybill::memory
