#include "transport/rabbitmq/io/open.hpp"

#include "transport/rabbitmq/io/frames.hpp"
#include "transport/rabbitmq/io/reach.hpp"
#include "transport/rabbitmq/io/tls.hpp"

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace waybill::rabbitmq::io {
namespace {

using failure = std::unexpected<open_failure>;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// When an attempt is over, whatever it is at then.
class attempt {
public:
    explicit attempt(milliseconds whole) : ends_{steady_clock::now() + whole} {}

    /// Never nothing, which the library would take for no limit.
    [[nodiscard]] milliseconds left() const {
        const auto left = std::chrono::ceil<milliseconds>(ends_ - steady_clock::now());
        return std::max(left, milliseconds{1});
    }
    [[nodiscard]] timeval left_for_library() const {
        const auto span = left().count();
        return {static_cast<time_t>(span / 1000), static_cast<suseconds_t>(span % 1000 * 1000)};
    }

private:
    steady_clock::time_point ends_;
};

amqp_bytes_t bytes_of(std::string_view text) {
    return {text.size(), const_cast<char*>(text.data())};
}

std::string_view text_of(amqp_bytes_t bytes) {
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

// ---- the transport below

failure untrusted(const std::string& why, bool is_about_name) {
    return failure{{false, fmt::format("The certificate of the server is not trusted: {}", why),
                    is_about_name ? "Connect to a host name or an address that stands in it"
                                  : "Name the authority that signed it by cacertfile=FILE"}};
}

std::expected<void, open_failure> connect_plainly(amqp_connection_state_t state,
                                                  const host_port& host, const attempt& until) {
    const auto reached = reach(host, until.left());
    if (!reached) {
        return failure{{true, fmt::format("It cannot be reached: {}", reached.error()),
                        "Start the server there, or correct host and port of the URL"}};
    }
    auto* socket = amqp_tcp_socket_new(state);
    if (socket == nullptr) {
        close(*reached);
        return failure{{true, "There is no memory for a socket", ""}};
    }
    amqp_tcp_socket_set_sockfd(socket, *reached);
    return {};
}

open_failure hung_up(std::string_view when, const connection_settings& to, const tls_session& tls) {
    if (tls.was_asked_for_certificate()) {
        return {
            false,
            fmt::format("The server asked for a certificate of the client, and hung up {}", when),
            to.tls.certificate_file.empty()
                ? "Name one that the server believes (certfile and keyfile of the URL)"
                : "See in the log of the server whether it believes the certificate (certfile)"};
    }
    return {true, fmt::format("The server hung up {}", when),
            fmt::format("See the log of the server, and that the port is {} TLS port",
                        to.tls.on ? "its" : "not its")};
}

std::expected<void, open_failure> connect_by_tls(amqp_connection_state_t state,
                                                 const connection_settings& to,
                                                 const host_port& host, tls_session& tls,
                                                 const attempt& until) {
    if (auto unusable = tls.prepare(state, host.host)) {
        return failure{{false, *unusable, "Correct the TLS options of the URL"}};
    }
    const auto limit = until.left_for_library();
    const int status = amqp_socket_open_noblock(tls.socket(), host.host.c_str(), host.port, &limit);
    if (status == AMQP_STATUS_OK) return {};
    if (auto why = tls.distrust()) return untrusted(*why, tls.distrusts_name());
    if (status == AMQP_STATUS_SSL_CONNECTION_FAILED || status == AMQP_STATUS_SSL_ERROR) {
        if (tls_session::is_cut_off())
            return failure{hung_up("while TLS was agreed upon", to, tls)};
        return failure{{false,
                        fmt::format("TLS was not agreed upon: {}", tls_session::last_words()),
                        "See that the port is the server's TLS port, and what its log says"}};
    }
    // The library keeps the system's words to itself, so they are asked for again.
    const auto reached = reach(host, std::min(until.left(), milliseconds{1000}));
    if (reached) close(*reached);
    const auto* plain = amqp_error_string2(status);
    return failure{{true,
                    fmt::format("It cannot be reached: {}", reached ? plain : reached.error()),
                    "Start the server there, or correct host and port of the URL"}};
}

// ---- the handshake

/// As what we introduce ourselves. Holds its own entries.
class client_properties {
public:
    explicit client_properties(std::string_view name) {
        static constexpr const char* capabilities[] = {
            "publisher_confirms",         "basic.nack",
            "consumer_cancel_notify",     "connection.blocked",
            "exchange_exchange_bindings", "authentication_failure_close"};
        for (std::size_t i = 0; i < can_.size(); ++i) {
            can_[i].key = amqp_cstring_bytes(capabilities[i]);
            can_[i].value.kind = AMQP_FIELD_KIND_BOOLEAN;
            can_[i].value.value.boolean = 1;
        }
        say(0, "product", "waybill");
        say(1, "connection_name", name);
        say(2, "information", "");
        all_[3].key = amqp_cstring_bytes("capabilities");
        all_[3].value.kind = AMQP_FIELD_KIND_TABLE;
        all_[3].value.value.table = {static_cast<int>(can_.size()), can_.data()};
        table = {static_cast<int>(all_.size()), all_.data()};
    }
    client_properties(const client_properties&) = delete;
    client_properties& operator=(const client_properties&) = delete;

    amqp_table_t table{};

private:
    void say(std::size_t at, const char* key, std::string_view text) {
        all_[at].key = amqp_cstring_bytes(key);
        all_[at].value.kind = AMQP_FIELD_KIND_UTF8;
        all_[at].value.value.bytes = bytes_of(text);
    }

    std::array<amqp_table_entry_t, 6> can_{};
    std::array<amqp_table_entry_t, 4> all_{};
};

amqp_rpc_reply_t log_in(amqp_connection_state_t state, const connection_settings& to,
                        std::string_view name) {
    const client_properties properties{name};
    const auto with = [&](amqp_sasl_method_enum method, auto... credentials) {
        return amqp_login_with_properties(
            state, to.vhost.c_str(), to.channel_max, static_cast<int>(to.frame_max),
            static_cast<int>(to.heartbeat.count()), &properties.table, method, credentials...);
    };
    // The library takes no empty identity; the server looks at the certificate.
    if (to.by == login::external) return with(AMQP_SASL_METHOD_EXTERNAL, "external");
    return with(AMQP_SASL_METHOD_PLAIN, to.user.c_str(), to.password.c_str());
}

open_failure refused_by_server(const connection_settings& to, const amqp_method_t& method) {
    if (method.id != AMQP_CONNECTION_CLOSE_METHOD) {
        return {true, "The server answered with what does not belong there", ""};
    }
    const auto* close = static_cast<const amqp_connection_close_t*>(method.decoded);
    auto text = text_of(close->reply_text);
    while (text.ends_with('.')) text.remove_suffix(1);
    auto what = fmt::format("The server refused it: {} {}", close->reply_code, text);
    if (close->reply_code == AMQP_ACCESS_REFUSED) {
        return {false, std::move(what),
                "Correct user and password of the URL; the user guest may log in only from the "
                "server's own machine"};
    }
    const bool limit = text.find("limit") != text.npos;
    if (close->reply_code == AMQP_NOT_ALLOWED && !limit) {
        return {false, std::move(what),
                fmt::format("Make the virtual host \"{}\" and let the user in (rabbitmqctl "
                            "add_vhost, set_permissions), or correct the URL",
                            to.vhost)};
    }
    return {true, std::move(what), "See the log of the server"};
}

open_failure refused_login(const connection_settings& to, const amqp_rpc_reply_t& reply,
                           const tls_session& tls) {
    if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION) {
        return refused_by_server(to, reply.reply);
    }
    switch (reply.library_error) {
        case AMQP_STATUS_TIMEOUT:
            return {true,
                    fmt::format("It did not answer the login within {} ms",
                                to.connection_timeout.count()),
                    "See that a RabbitMQ listens there, and what its log says"};
        case AMQP_STATUS_BROKER_UNSUPPORTED_SASL_METHOD:
            return {false,
                    fmt::format("The server does not offer the login {}",
                                to.by == login::external ? "EXTERNAL" : "PLAIN"),
                    "Turn it on there (auth_mechanisms), or change auth_mechanism of the URL"};
        case AMQP_STATUS_CONNECTION_CLOSED:
            return hung_up("during the login", to, tls);
        case AMQP_STATUS_SSL_ERROR:
            if (tls_session::is_cut_off()) return hung_up("during the login", to, tls);
            return {
                false,
                fmt::format("The server ended TLS during the login: {}", tls_session::last_words()),
                "See whether the server asks for a certificate of the client (certfile, keyfile)"};
        default:
            return {true,
                    fmt::format("The login failed: {}", amqp_error_string2(reply.library_error)),
                    std::string{"See that a RabbitMQ listens there, and what its log says"} +
                        (to.tls.on ? "" : "; if it is the server's TLS port, write amqps://")};
    }
}

// ---- what the server told

std::string server_text(amqp_connection_state_t state, std::string_view key) {
    const auto* table = amqp_get_server_properties(state);
    for (int i = 0; i < table->num_entries; ++i) {
        const auto& entry = table->entries[i];
        if (text_of(entry.key) == key && entry.value.kind == AMQP_FIELD_KIND_UTF8) {
            return std::string{text_of(entry.value.value.bytes)};
        }
    }
    return {};
}

server_facts facts_of(amqp_connection_state_t state, const connection_settings& to) {
    return {.product = server_text(state, "product"),
            .version = server_text(state, "version"),
            .cluster = server_text(state, "cluster_name"),
            .frame_max = static_cast<std::uint32_t>(amqp_get_frame_max(state)),
            .channel_max = static_cast<std::uint16_t>(amqp_get_channel_max(state)),
            .user = to.by == login::plain ? to.user : std::string{}};
}

/// Takes what the library has read beyond the login, to the end of a frame. Of a server that has
/// just let us in, that is connection.blocked at most.
std::expected<void, open_failure> take_early(amqp_connection_state_t state,
                                             const connection_settings& to, const attempt& until,
                                             byte_buffer& early) {
    while (amqp_frames_enqueued(state) != 0 || amqp_data_in_buffer(state) != 0 ||
           amqp_release_buffers_ok(state) == 0) {
        amqp_frame_t frame;
        const auto limit = until.left_for_library();
        const int status = amqp_simple_wait_frame_noblock(state, &frame, &limit);
        if (status != AMQP_STATUS_OK) {
            return failure{
                {true, fmt::format("It fell after the login: {}", amqp_error_string2(status)), ""}};
        }
        if (frame.frame_type != AMQP_FRAME_METHOD) continue;
        if (frame.payload.method.id == AMQP_CONNECTION_CLOSE_METHOD) {
            return failure{refused_by_server(to, frame.payload.method)};
        }
        if (frame.payload.method.id == AMQP_CONNECTION_BLOCKED_METHOD) {
            const auto* why =
                static_cast<const amqp_connection_blocked_t*>(frame.payload.method.decoded);
            frame_writer method{early, 0, method_id::connection_blocked};
            put_short(early, text_of(why->reason));
        }
    }
    return {};
}

}  // namespace

std::expected<opened, open_failure> open_one(const connection_settings& to, const host_port& host,
                                             std::string_view name) {
    state_owner state{amqp_new_connection()};
    if (!state) return failure{{true, "There is no memory for a connection", ""}};
    const attempt until{to.connection_timeout};
    tls_session tls{to.tls};
    const auto connected = to.tls.on ? connect_by_tls(state.get(), to, host, tls, until)
                                     : connect_plainly(state.get(), host, until);
    if (!connected) return failure{connected.error()};
    const auto limit = until.left_for_library();
    amqp_set_handshake_timeout(state.get(), &limit);
    const auto reply = log_in(state.get(), to, name);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
        tls.let_go();
        return failure{refused_login(to, reply, tls)};
    }
    byte_buffer early;
    const auto agreed = std::chrono::seconds{amqp_get_heartbeat(state.get())};
    if (auto taken = take_early(state.get(), to, until, early); !taken) {
        tls.let_go();
        return failure{taken.error()};
    }
    tls.let_go();
    auto facts = facts_of(state.get(), to);
    return opened{byte_stream{std::move(state), tls.session()}, std::move(facts), agreed,
                  std::move(early)};
}

}  // namespace waybill::rabbitmq::io
