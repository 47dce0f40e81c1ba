/// What a broker was configured with, as plain data: read out of its URL and its builder, checked
/// once, and then never changed.
#pragma once

#include "transport/rabbitmq/wire.hpp"
#include <waybill/clock.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq {

struct host_port {
    std::string host;
    std::uint16_t port = 5672;
};

/// TLS of a connection. The server's certificate and its host name are verified unless one says
/// otherwise.
struct tls_settings {
    bool on = false;               ///< amqps
    std::string ca_file;           ///< PEM; empty: the system's
    std::string certificate_file;  ///< of the client, PEM; empty: none
    std::string key_file;
    bool verifies_certificate = true;
    bool verifies_host_name = true;
};

enum class login : std::uint8_t {
    plain,     ///< user and password
    external,  ///< the client's certificate says who it is
};

struct connection_settings {
    std::vector<host_port> hosts;  ///< tried in turn; never empty
    std::string user = "guest";
    std::string password = "guest";  ///< appears in no text
    std::string vhost = "/";
    tls_settings tls;
    login by = login::plain;
    std::chrono::seconds heartbeat{30};  ///< 0: none
    std::chrono::milliseconds connection_timeout{10'000};
    std::uint16_t channel_max = 2047;
    std::uint32_t frame_max = 131'072;

    /// "amqp://host:5672/vhost": for people; neither user nor password.
    [[nodiscard]] std::string describe() const;
};

/// `amqp://user:password@host:port,host:port/vhost?heartbeat=30&connection_timeout=5000` (and
/// amqps), percent-encoded; the query keys are heartbeat (s), connection_timeout (ms), channel_max,
/// frame_max, auth_mechanism (plain, external), and with amqps cacertfile, certfile, keyfile,
/// verify (verify_peer, verify_none) and server_name_indication (disable: the host name is not
/// checked). All mistakes at once; no text holds the password.
[[nodiscard]] WAYBILL_INNER std::expected<connection_settings, std::vector<error>> parse_url(
    std::string_view url);

/// Opens connections to one configured server. Thread-safe.
class connector {
public:
    virtual ~connector() = default;

    /// Connects and logs in, trying the hosts in turn, beginning with another one each time. Waits
    /// for `connection_timeout` for each at most, TLS and login included. `name` shows in the
    /// server's list of connections. The error says which hosts were tried and why each failed, and
    /// holds no credential; its code is errc::connection, or errc::refused where trying again will
    /// not help (login, vhost, TLS).
    virtual std::expected<std::unique_ptr<wire>, error> open(std::string_view name) = 0;
    /// From now on `open` tries no further host: it ends with the one that it is at. Any thread.
    virtual void give_up() noexcept {}

    // ---- only of a server in the process, whose time somebody moves by hand. @{
    /// Called, on the thread that changed something, when an open wire may have something to read.
    /// No lock is held. Set before the first `open`.
    virtual void on_news(std::function<void()> /*told*/) {}
    [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> next_due() const {
        return std::nullopt;
    }
    /// Lets at most `limit` things happen in the server whose time has come; says how many did.
    virtual std::size_t tick(std::chrono::nanoseconds /*now*/, std::size_t /*limit*/) { return 0; }
    /// @}
};

/// Over the network, by rabbitmq-c.
[[nodiscard]] std::unique_ptr<connector> make_connector(const connection_settings& to);

/// How a server in the process takes the place of the one that is configured. `must`: there is no
/// network (a test drives the app by hand), so one is made where none stands there yet. Null: the
/// real one is meant.
using stand_in = std::unique_ptr<connector> (*)(const connection_settings& to,
                                                const std::shared_ptr<clock>& time, bool must);
/// Set by the library of the test server when a program is linked with it. Null: there is none.
WAYBILL_INNER std::atomic<stand_in>& the_stand_in() noexcept;

}  // namespace waybill::rabbitmq
