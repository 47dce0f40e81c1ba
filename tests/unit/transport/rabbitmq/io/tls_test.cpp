// What OpenSSL does for a connection beyond its first handshake. The server is the test's own.
#include "certificate.hpp"
#include "login_server.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <doctest/doctest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace rabbitmq_tls_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;

struct deaf final : wire_events {
    std::byte* begins(const arrival&) override { return nullptr; }
    void arrived() override {}
    void returned(const returned_message&) override {}
    void confirmed(channel_id, std::uint64_t, bool, bool) override {}
    void cancelled(channel_id, std::string_view) override {}
    void channel_closed(channel_id, const refusal&) override {}
    void blocked(std::string_view) override {}
};

/// The server's side of one connection, which speaks TLS 1.2.
class tls_server {
public:
    explicit tls_server(int client) {
        SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
        // Every handshake is a whole one, with the certificate.
        SSL_CTX_set_options(context_.get(), SSL_OP_NO_TICKET);
        SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_OFF);
        SSL_CTX_use_certificate(context_.get(), own_.certificate.get());
        SSL_CTX_use_PrivateKey(context_.get(), own_.key.get());
        session_.reset(SSL_new(context_.get()));
        SSL_set_fd(session_.get(), client);
    }

    bool lets_in() {
        const auto words = support::words_of_login();
        return SSL_accept(session_.get()) == 1 &&
               SSL_write(session_.get(), words.data(), static_cast<int>(words.size())) > 0;
    }
    /// Asks for another handshake: the reason by which OpenSSL ends, once the client has answered.
    int handshakes_anew() {
        ERR_clear_error();
        SSL_renegotiate(session_.get());
        SSL_do_handshake(session_.get());
        std::array<char, 4096> any{};
        while (SSL_read(session_.get(), any.data(), any.size()) > 0) {
        }
        return ERR_GET_REASON(ERR_peek_last_error());
    }

private:
    struct free_context {
        void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    };
    struct free_session {
        void operator()(SSL* session) const noexcept { SSL_free(session); }
    };
    support::self_signed own_;
    std::unique_ptr<SSL_CTX, free_context> context_{SSL_CTX_new(TLS_server_method())};
    std::unique_ptr<SSL, free_session> session_;
};

TEST_CASE("a server that wants TLS to be agreed upon anew is told no") {
    std::unique_ptr<wire> client;
    std::atomic<bool> is_in{false};
    std::atomic<bool> done{false};
    std::string opening;
    int reason = 0;
    {
        const support::one_client_server server{[&](int at) {
            tls_server speaks{at};
            const bool lets_in = speaks.lets_in();
            is_in.wait(false);
            if (client == nullptr) return;
            if (lets_in) reason = speaks.handshakes_anew();
            done = true;
            client->wake();
        }};
        connection_settings to;
        to.hosts = {{"127.0.0.1", server.port()}};
        to.tls.on = true;
        to.tls.verifies_certificate = false;
        to.tls.verifies_host_name = false;
        auto made = make_connector(to)->open("test");
        if (made)
            client = std::move(*made);
        else
            opening = made.error().message();
        is_in = true;
        is_in.notify_all();
        deaf hears;
        while (client != nullptr && !done) {
            client->wait(std::nullopt);
            if (!client->read(hears)) break;
        }
    }
    CHECK(opening.empty());
    CHECK(reason == SSL_R_NO_RENEGOTIATION);
}

}  // namespace rabbitmq_tls_test
