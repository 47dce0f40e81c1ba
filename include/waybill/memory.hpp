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

/// The in-memory transport.
namespace waybill::memory {

class store;

/// What a server counts of each message, and tells with its next delivery.
enum class counting : std::uint8_t {
    failures,  ///< deliveries that were settled as failed, or died with their connection
    returns,   ///< every return, also of what no handler saw: a stop, a cut connection
    none,
};

/// What a publish does that finds its address full.
enum class when_full : std::uint8_t {
    waits,  ///< until there is room, or a stop ends the wait with an error
    fails,
};

/// How much an address may hold. It is full when one of the queues that take from it holds so many
/// messages or bytes (payloads and headers), ready, waiting or in a reader's hand. 0: any number.
///
/// A publisher waits on its own thread, so a handler publishes by `out<T...>` or its context, not
/// by a publisher: it may be the one that is waited for. A lane never waits: what a handler
/// published waits for room by itself, its delivery unsettled meanwhile, and 256 such deliveries
/// keep a lane from taking more. What an app publishes to a queue of which it has deliveries in
/// hand, a retry copy above all, is always taken: it would wait for itself. So is what an app that
/// stops still has. An app of which a publish has waited for a second is degraded, and its health
/// names the address.
struct limits {
    std::size_t messages = 0;           ///< 0: any number
    std::size_t bytes = 0;              ///< of payloads and headers; 0: any number
    when_full full = when_full::waits;  ///< what a publish does then
};

/// How much an address keeps for readers that come: of more ready messages or bytes in a queue its
/// oldest are dropped, and every one that is ready for longer than `age`. What waits or is in hand
/// is not touched, and becomes ready anew. Where one is declared, the address also keeps a history
/// in it for fan-out readers that come late (`start::oldest`), whoever has read the messages.
struct retention {
    std::size_t messages = 0;         ///< 0: no bound
    std::size_t bytes = 0;            ///< of payloads and headers; 0: no bound
    std::chrono::nanoseconds age{0};  ///< since it is ready; 0: no bound

    /// Field by field.
    friend bool operator==(const retention&, const retention&) = default;
};

/// What a server is to be like. With `counting::none` and without delays it is the model of a
/// transport that can do neither: every retry is a confirmed copy. With `counting::returns` and a
/// limit of 20 it counts as a RabbitMQ quorum queue before 4.3 does.
struct options {
    counting counts = counting::failures;  ///< of each message, for its readers
    bool delays = true;                    ///< redeliveries and copies can wait in it
    bool outlives_crash = false;  ///< `crash` returns what is in hand instead of emptying it
    /// The return that raises a message's count above this drops the message, as a queue without a
    /// dead letter of its own does: it is delivered `delivery_limit + 1` times at most. 0: no
    /// limit.
    std::uint32_t delivery_limit = 0;
    limits limit{};    ///< of each address that has none of its own. Default: none
    retention keep{};  ///< by each address that has none of its own. Default: nothing is dropped
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
/// `broker` made from one. Apps that share a server share a clock. Guarantee: at least once, in
/// order of publishing for each reader; what it holds outlives the apps that use it, and a kill of
/// the process loses it. Thread-safe; no call waits, but for a publish to a full address.
class WAYBILL_API server {
public:
    /// A new server, empty, like the default options.
    server();
    /// The name tells servers apart for people: `describe` says it.
    explicit server(const options& how, std::string name = "memory");

    /// Publishes from outside of any app. Where the address is full and publishes wait, this waits
    /// as long as an app with threads of its own is connected; else it is an error at once. @{
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(std::string_view address, std::span<const std::byte> payload,
                                       const headers& with = {}) const;
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(std::string_view address, std::string_view payload,
                                       const headers& with = {}) const;
    /// @}

    /// Takes the place of what the options say for this address, at once; what it holds stays, and
    /// a publish that waits and cannot any more ends. Of a pattern's queue each address that it
    /// reads has its own limit, and the queue is what is measured.
    void limit(std::string_view address, const limits& at) const;
    /// The same; what is above it is dropped now. An age counts from now where none was known.
    void retain(std::string_view address, const retention& how) const;

    /// What is ready at an address or for a source, not what is in a reader's hand or waits.
    [[nodiscard]] std::size_t queued(std::string_view name) const;
    /// Deliveries that are in some reader's hand.
    [[nodiscard]] std::size_t unsettled() const;
    /// Messages whose delay has not passed.
    [[nodiscard]] std::size_t waiting() const;

    /// Messages that a return raised above the delivery limit, since the server was made.
    [[nodiscard]] std::uint64_t dropped_at_limit() const;
    /// Messages that no reader had in time, by their own time to live; for each queue.
    [[nodiscard]] std::uint64_t expired() const;
    /// Messages that retention dropped, for each queue; what a history forgets does not count.
    [[nodiscard]] std::uint64_t retired() const;

    /// For tests: the next `times` publishes to `address` by an app end so. Replaces what was
    /// planned for that address; 0 cancels it.
    void fail_publishes(std::string_view address, std::size_t times,
                        publish_fault how = publish_fault::failed) const;
    /// For tests: every app's deliveries become stale and come again, counted.
    void drop_connections() const;
    /// For tests: the process that holds the deliveries dies. Empties the server unless it
    /// outlives crashes.
    void crash() const;

    /// As it was given.
    [[nodiscard]] const std::string& name() const noexcept { return *name_; }
    /// For the transport and the test kit.
    [[nodiscard]] const std::shared_ptr<store>& shared() const noexcept { return store_; }

private:
    std::shared_ptr<store> store_;
    std::shared_ptr<const std::string> name_;
};

/// What `app.broker(...)` takes. Never changes, and may be used by many threads and apps at once.
/// Guarantee: success of a publish means that the server has the message; each is delivered at
/// least once, with the count of its failed deliveries where the server counts.
class WAYBILL_API broker final : public detail::broker_config {
public:
    /// A server of its own.
    broker();
    /// The same, as these options say.
    explicit broker(const options& how, std::string name = "memory");
    /// A server that others know too.
    explicit broker(const server& at);

    /// The server that it stands for.
    [[nodiscard]] const memory::server& server() const noexcept { return server_; }

    /// What the runtime asks of every transport. @{
    [[nodiscard]] std::string_view transport_name() const noexcept override { return "memory"; }
    [[nodiscard]] std::string describe() const override { return server_.name(); }
    [[nodiscard]] detail::capabilities capabilities_of(const source& from) const override;
    [[nodiscard]] std::optional<error> check_address(std::string_view address) const override;
    [[nodiscard]] std::optional<error> check_source(const source& from) const override;
    [[nodiscard]] bool is_same_server(const broker_config& other) const override;
    [[nodiscard]] bool reads(const source& from, std::string_view address) const override;
    [[nodiscard]] std::expected<std::unique_ptr<detail::transport>, error> connect(
        detail::transport_host& host) const override;
    /// @}

private:
    memory::server server_;
};

/// A competing source: each message goes to one of its readers. The name may be a pattern: words
/// between dots, `*` for any one word, `>` at the end for one word or more.
WAYBILL_API source queue(std::string name);

/// Where a fan-out reader that is new to the server begins.
enum class start : std::uint8_t {
    now,
    oldest,  ///< with what the address retained: its history, or what nobody has read yet
};

/// A fan-out source: every app that reads it gets each message published from then on, and what
/// `from` adds. The name may be a pattern.
WAYBILL_API source fan_out(std::string name, start from = start::now);

}  // namespace waybill::memory
