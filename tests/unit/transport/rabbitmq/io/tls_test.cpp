// What OpenSSL must not do for a connection. The server is the test's own.
#include "certificate.hpp"
#include "login_server.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <doctest/doctest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
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

/// A file that is gone with the process.
class pem_file {
public:
    template <class Write>
    explicit pem_file(Write write) : descriptor_{::memfd_create("pem", MFD_CLOEXEC)} {
        REQUIRE(descriptor_ >= 0);
        std::FILE* const to = ::fdopen(::dup(descriptor_), "w");
        REQUIRE(to != nullptr);
        CHECK(write(to) == 1);
        std::fclose(to);
    }
    ~pem_file() { ::close(descriptor_); }
    pem_file(const pem_file&) = delete;
    pem_file& operator=(const pem_file&) = delete;

    [[nodiscard]] std::string path() const {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};

TEST_CASE("a key that is encrypted is refused, and nobody is asked for its password") {
    const support::self_signed own;
    const pem_file certificate{
        [&](std::FILE* to) { return PEM_write_X509(to, own.certificate.get()); }};
    const pem_file encrypted{[&](std::FILE* to) {
        return PEM_write_PKCS8PrivateKey(to, own.key.get(), EVP_aes_256_cbc(), "secret", 6, nullptr,
                                         nullptr);
    }};
    connection_settings to;
    to.hosts = {{"127.0.0.1", 1}};
    to.tls.on = true;
    to.tls.certificate_file = certificate.path();
    to.tls.key_file = encrypted.path();
    const auto opened = make_connector(to)->open("test");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == waybill::errc::refused);
    CHECK(opened.error().what ==
          "The certificate " + certificate.path() + " with the key " + encrypted.path() +
              " cannot be used: the key is encrypted (openssl pkey writes it without a password)");
    CHECK(opened.error().fix == "Correct the TLS options of the URL");
}

}  // namespace rabbitmq_tls_test
