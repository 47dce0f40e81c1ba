/// The contract between the core and the code for one protocol. A transport owns connections and
/// hands over deliveries; it knows nothing of handlers, caps or dead letters.
///
/// Each token that `take` handed out comes back through `settle` once, or never where `close` came
/// first. Asked of every transport: what the delivery views stays valid until then, also when the
/// connection fell in between (the token is then stale and settling it is a counted no-op).
#pragma once

#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/outgoing.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

class backoff;
class clock;
struct declaration;

namespace detail {

/// What a transport's own functions say of a source beside its name. Never changes.
struct source_details {
    virtual ~source_details() = default;
    /// What it says of the subscription that reads it, before the subscription says anything.
    virtual void declare(declaration& /*of*/) const {}
};

}  // namespace detail

/// Where a subscription reads. Made by a transport's own functions (`memory::queue("orders")`).
struct source {
    std::string transport;     ///< "memory"
    std::string name;          ///< queue, topic, pattern: what the transport reads
    bool fan_out = false;      ///< every reader gets a copy of its own
    bool from_oldest = false;  ///< a new fan-out reader begins with what the address retained
    /// The transport's own; null: nothing more was said.
    std::shared_ptr<const detail::source_details> details{};
};

namespace detail {

/// What giving a delivery back does to the broker's count of it.
enum class requeue_support : std::uint8_t { none, uncounted, counted };

/// Where a delay of the original can wait: `broker`, given back to it; `held`, unsettled in our
/// hand; `none`, only as a copy.
enum class delay_support : std::uint8_t { none, held, broker };

/// What the broker's count of a message means (docs/architecture.md, section 3).
enum class count_support : std::uint8_t { none, returns, failures };

/// What is lost when the process is killed.
enum class kill_loss : std::uint8_t { nothing, waiting, unsettled, everything };

/// A header or property of a delivery that a copy of it does not carry as it is.
struct copy_exception {
    std::string_view name;
    known_header kept_as = known_header::none;  ///< under this name; none: left out
};

/// What a transport can do for one source. Constant while a connection lasts.
struct capabilities {
    requeue_support requeue = requeue_support::none;
    delay_support delay = delay_support::none;
    count_support counts = count_support::none;
    kill_loss loses = kill_loss::nothing;
    bool delays_copies = false;      ///< what is published with a delay waits in the broker
    bool spent_is_rejected = false;  ///< a cap without a dead letter: reject, else drop
    bool drop_is_rejected = false;   ///< `drop` maps to reject by default
    bool keeps_rejected = false;     ///< what is rejected goes to a dead letter of the broker's own
    bool crash_is_counted = false;   ///< a lost connection raises the count
    bool stop_is_counted = false;    ///< giving back at a stop charges an attempt
    bool copies_to_source =
        false;                ///< a copy goes to the source's name, not the delivery's address
    bool fixed_wait = false;  ///< what goes to `retry_to` waits there as long as that place says
    std::uint32_t delivery_limit = 0;  ///< the broker's own limit; 0: none
    /// What a copy does not carry; constant, and the transport's.
    std::span<const copy_exception> not_copied{};
    /// The shortest wait that the broker can make of a copy; what is left of one below is held.
    std::chrono::nanoseconds shortest_wait{0};
};

/// One message as the transport hands it over.
struct received {
    std::string_view address;
    std::span<const std::byte> payload;  ///< 64 readable bytes follow it
    std::span<const std::byte> packed_headers;
    void* token = nullptr;
    std::uint64_t generation = 0;  ///< of the connection that delivered it
    std::uint32_t counted = 0;     ///< what the broker counted before this delivery
    bool redelivered = false;
    std::int64_t expires_at_ms = 0;  ///< Unix epoch, of the broker's own time to live; 0: none
};

enum class settle_kind : std::uint8_t {
    accept,   ///< done with it
    requeue,  ///< again, counted where the broker can
    release,  ///< given back unseen: not counted where the broker can
    reject,   ///< the broker's own dead-letter policy
    leave,    ///< unsettled until the next session
    nothing,  ///< stale: only the memory is given back
};

struct settle_op {
    void* token = nullptr;
    std::uint64_t generation = 0;
    std::chrono::nanoseconds delay{0};  ///< with requeue, where the broker delays originals
    settle_kind kind = settle_kind::accept;
};

enum class publish_status : std::uint8_t {
    confirmed,   ///< the broker has it
    pending,     ///< the ticket will be told
    failed,      ///< not taken this time; trying again may help
    unroutable,  ///< no queue or subscriber took it
    refused,     ///< the broker will never take it
    lost,        ///< the connection fell before the confirmation
};

/// Told once, on any thread, how a pending publish ended.
class publish_ticket {
public:
    virtual void published(publish_status status) noexcept = 0;
    /// Does a thread stand still until it is told? Then a transport that is driven by that very
    /// thread must not answer `pending`.
    [[nodiscard]] virtual bool blocks() const noexcept { return false; }

protected:
    ~publish_ticket() = default;
};

/// Told, on any thread, that a consumer may have something to take. Must be cheap when nobody
/// sleeps, and must not call back into the transport, whose lock may be held.
class consumer_listener {
public:
    virtual void ready() noexcept = 0;
    /// The connection is another than before: what was in hand is stale.
    virtual void reconnected() noexcept = 0;
    /// How many deliveries may be handled side by side.
    [[nodiscard]] virtual std::size_t lanes() const noexcept { return 1; }

protected:
    ~consumer_listener() = default;
};

/// One subscription's reading end. `take` and `settle` may be called from any lane's thread.
class consumer {
public:
    virtual ~consumer() = default;

    /// Hands out at most `room.size()` deliveries without waiting; says how many.
    virtual std::size_t take(std::span<received> room) = 0;
    /// How many could be taken now; may be out of date at once.
    [[nodiscard]] virtual std::size_t available() const noexcept = 0;
    virtual void settle(std::span<const settle_op> operations) = 0;
    /// The generation of the connection now; an older delivery is stale.
    [[nodiscard]] virtual std::uint64_t generation() const noexcept = 0;
    /// No further delivery is handed out; those in hand can still be settled.
    virtual void cancel() noexcept = 0;
    /// So many may be in hand of this generation's connection, at most the window; where fewer may
    /// already, it changes nothing. After a start and after every reconnect it is one. The first
    /// message that nobody had before makes it `whole_window`, and each that waits for its time or
    /// its publish before that one more, so that none holds up all that stand behind it.
    static constexpr std::size_t whole_window = SIZE_MAX;
    virtual void widen(std::uint64_t /*generation*/, std::size_t /*to*/) noexcept {}
};

/// One connected broker. Thread-safe.
class transport {
public:
    virtual ~transport() = default;

    virtual std::expected<std::unique_ptr<consumer>, error> consume(
        const source& from, std::string_view reader, consumer_listener& listener) = 0;
    /// Sees to it that what is sent to this address is kept until somebody reads it, as safely as
    /// what `like` holds.
    virtual std::expected<void, error> declare(std::string_view address, const source& like) = 0;
    /// Copies to this source's own address will often wait so long.
    virtual void expect_waits(const source& /*of*/, const backoff& /*delays*/) {}
    /// What it can do for this source now that it is connected; nothing: what its configuration
    /// says.
    [[nodiscard]] virtual std::optional<capabilities> capabilities_of(
        const source& /*from*/) const {
        return std::nullopt;
    }
    /// Publishes and reports the broker's confirmation. `ticket` may be null where the caller
    /// does not care; it is used only when the answer is `pending`.
    virtual publish_status publish(const outgoing_view& message, publish_ticket* ticket) = 0;

    /// The queue of the server in which this would wait first; empty where none is made for it.
    [[nodiscard]] virtual std::string waits_in(const outgoing_view& /*message*/) const {
        return {};
    }

    /// Why a publish to this address ended so, where the transport knows better than the status.
    [[nodiscard]] virtual std::optional<error> explain(std::string_view /*address*/,
                                                       publish_status /*status*/) const {
        return std::nullopt;
    }

    /// What is wrong with it at this moment that no answer has told yet, for a person; empty when
    /// nothing is. Any thread.
    [[nodiscard]] virtual std::string trouble(std::chrono::nanoseconds /*now*/) const { return {}; }

    /// When the transport next wants `tick`; nothing when it does not.
    [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> next_due() const = 0;
    /// Lets at most `limit` timers whose time has come fire, in due order; says how many did.
    virtual std::size_t tick(std::chrono::nanoseconds now, std::size_t limit) = 0;
    /// Somebody knows that the server can be reached again: a pause before the next attempt to
    /// connect ends. Any thread.
    virtual void try_now() noexcept {}
    /// What is in hand goes back uncounted and nothing further is taken or published. Every ticket
    /// that still waits has been told `lost` when this returns.
    virtual void close() noexcept = 0;
};

/// What a transport needs of the app. Outlives the transport.
class transport_host {
public:
    [[nodiscard]] virtual std::shared_ptr<clock> time() const noexcept = 0;
    /// An earlier timer than before was armed; may be called on any thread, without locks held.
    virtual void timer_changed() noexcept = 0;
    /// Does nothing happen in the app but what its caller drives? So it is in tests on a paused
    /// clock.
    [[nodiscard]] virtual bool is_driven_by_hand() const noexcept { return false; }
    /// The app's name, for people; valid with the host.
    [[nodiscard]] virtual std::string_view app_name() const noexcept { return "waybill"; }
    /// Something that a person should read: what happened, in a sentence. `warn`: of a trouble;
    /// `tell`: that it is over. Any thread. @{
    virtual void warn(std::string_view /*event*/, std::string_view /*broker*/,
                      std::string_view /*what*/) noexcept {}
    virtual void tell(std::string_view /*event*/, std::string_view /*broker*/,
                      std::string_view /*what*/) noexcept {}
    /// @}

protected:
    ~transport_host() = default;
};

/// A configured server: what `app.broker(...)` takes. Knows its protocol's rules for names.
class broker_config {
public:
    virtual ~broker_config() = default;

    [[nodiscard]] virtual std::string_view transport_name() const noexcept = 0;
    /// For people and logs; holds no credential.
    [[nodiscard]] virtual std::string describe() const = 0;
    /// What it declares on the server when it starts, of its own and for these sources, a line
    /// each, for people; empty where a transport declares nothing.
    [[nodiscard]] virtual std::vector<std::string> topology(
        std::span<const source* const> /*read*/) const {
        return {};
    }
    /// Everything that is wrong with it, whoever uses it; empty when nothing is.
    [[nodiscard]] virtual std::vector<error> problems() const { return {}; }
    [[nodiscard]] virtual capabilities capabilities_of(const source& from) const = 0;
    /// Why nothing can be published there; nothing when it can.
    [[nodiscard]] virtual std::optional<error> check_address(std::string_view address) const = 0;
    [[nodiscard]] virtual std::optional<error> check_source(const source& from) const = 0;
    /// Do both name the same server, so that what one publishes the other may read?
    [[nodiscard]] virtual bool is_same_server(const broker_config& other) const {
        return this == &other;
    }
    /// Would what is sent to `address` be read by `from`?
    [[nodiscard]] virtual bool reads(const source& from, std::string_view address) const = 0;
    [[nodiscard]] virtual std::expected<std::unique_ptr<transport>, error> connect(
        transport_host& host) const = 0;
};

}  // namespace detail
}  // namespace waybill
