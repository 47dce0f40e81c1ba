/// TLS of one connection: what rabbitmq-c's own OpenSSL socket is told before it connects.
#pragma once

#include "transport/rabbitmq/settings.hpp"

#include <optional>
#include <string>

struct amqp_connection_state_t_;
struct amqp_socket_t_;
struct ssl_st;
struct x509_store_ctx_st;

namespace waybill::rabbitmq::io {

/// Must stay where it is while the connection is open: OpenSSL holds its address. Belongs to the
/// thread that opens the connection.
class tls_session {
public:
    explicit tls_session(const tls_settings& to) : settings_{to} {}
    tls_session(const tls_session&) = delete;
    tls_session& operator=(const tls_session&) = delete;

    /// Makes the library's socket for the host. The text says which file cannot be used.
    [[nodiscard]] std::optional<std::string> prepare(amqp_connection_state_t_* state,
                                                     const std::string& host);
    [[nodiscard]] amqp_socket_t_* socket() const noexcept { return socket_; }
    /// The library's own, which it does not give away; known once it has begun to shake hands.
    [[nodiscard]] ssl_st* session() const noexcept { return session_; }
    /// Why the certificate was not believed, in OpenSSL's words; nothing where it was.
    [[nodiscard]] std::optional<std::string> distrust() const;
    /// Was it refused only because it is for another host?
    [[nodiscard]] bool distrusts_name() const noexcept;
    /// Did the server ask for a certificate of the client? Who then hangs up may well have refused
    /// it: with TLS 1.3 that comes when the client takes the handshake to be over, and the reason
    /// is lost when the client has begun to write by then (RFC 8446, section 4.4.2.4 and appendix
    /// A).
    [[nodiscard]] bool was_asked_for_certificate() const noexcept { return was_asked_; }
    /// Did the other side hang up without a word? Ask before `last_words`.
    [[nodiscard]] static bool is_cut_off() noexcept;
    /// OpenSSL's words for what else went wrong with the handshake on this thread.
    [[nodiscard]] static std::string last_words();
    /// OpenSSL must not come back to this object.
    void let_go() noexcept;

private:
    static void on_state(const ssl_st* session, int where, int result);
    static int on_password(char* into, int size, int writes, void* self);
    static int on_certificate(int believed, x509_store_ctx_st* chain);

    const tls_settings& settings_;
    amqp_socket_t_* socket_ = nullptr;
    ssl_st* session_ = nullptr;
    int refused_ = 0;
    bool was_asked_ = false;
    bool is_encrypted_ = false;  ///< the key
};

}  // namespace waybill::rabbitmq::io
