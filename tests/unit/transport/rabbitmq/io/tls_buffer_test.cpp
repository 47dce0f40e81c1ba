// What TLS has decrypted and not handed out yet: the socket is silent about it, so nobody may wait
// for the socket before that is read. Both ends of the session are the test's.
#include "transport/rabbitmq/io/connection.hpp"

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace rabbitmq_tls_buffer_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;

template <auto Free>
struct freed_by {
    void operator()(auto* what) const noexcept { Free(what); }
};
using tls_context = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;
using tls_end = std::unique_ptr<SSL, freed_by<SSL_free>>;

/// A context that shows a certificate of its own making.
tls_context server_context() {
    const std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>> key{EVP_EC_gen("P-256")};
    const std::unique_ptr<X509, freed_by<X509_free>> shown{X509_new()};
    X509_gmtime_adj(X509_getm_notBefore(shown.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(shown.get()), 3600);
    X509_set_pubkey(shown.get(), key.get());
    REQUIRE(X509_sign(shown.get(), key.get(), EVP_sha256()) > 0);
    tls_context made{SSL_CTX_new(TLS_server_method())};
    REQUIRE(SSL_CTX_use_certificate(made.get(), shown.get()) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey(made.get(), key.get()) == 1);
    return made;
}

/// A client and a server that have agreed upon TLS; the server's end only.
class tls_server {
public:
    tls_server() {
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()) == 0);
        SSL_set_fd(client_.get(), ends_[0]);
        SSL_set_fd(server_.get(), ends_[1]);
        SSL_set_connect_state(client_.get());
        SSL_set_accept_state(server_.get());
        for (int left = 2; left != 0;) {
            left = 2;
            for (auto* each : {client_.get(), server_.get()}) {
                if (SSL_do_handshake(each) == 1) --left;
            }
        }
    }
    ~tls_server() { ::close(ends_[1]); }
    tls_server(const tls_server&) = delete;
    tls_server& operator=(const tls_server&) = delete;

    /// The client's connection, which must go first. Once.
    io::connection connect(std::uint32_t frame_max) {
        io::state_owner state{amqp_new_connection()};
        amqp_tcp_socket_set_sockfd(amqp_tcp_socket_new(state.get()), ends_[0]);
        server_facts facts;
        facts.frame_max = frame_max;
        return {io::opened{io::byte_stream{std::move(state), client_.get()}, facts, 0s, {}}, 2s};
    }
    /// A large frame that nobody minds, and behind it so many confirmations, each in a frame.
    void says(std::size_t large, std::uint64_t confirmations) {
        waybill::byte_buffer out;
        {
            const io::frame_writer frame{out, io::frame_kind::heartbeat, 0};
            std::ranges::fill_n(out.extend(large), static_cast<std::ptrdiff_t>(large), std::byte{});
        }
        for (std::uint64_t tag = 1; tag <= confirmations; ++tag) {
            const io::frame_writer frame{out, 1, io::method_id::basic_ack};
            put(out, tag);
            put(out, std::uint8_t{0});
        }
        REQUIRE(SSL_write(server_.get(), out.data(), static_cast<int>(out.size())) ==
                static_cast<int>(out.size()));
    }

private:
    std::array<int, 2> ends_{};
    tls_context client_context_{SSL_CTX_new(TLS_client_method())};
    tls_context server_context_ = server_context();
    tls_end client_{SSL_new(client_context_.get())};
    tls_end server_{SSL_new(server_context_.get())};
};

class confirmations final : public wire_events {
public:
    std::byte* begins(const arrival&) override { return nullptr; }
    void arrived() override {}
    void returned(const returned_message&) override {}
    void confirmed(channel_id, std::uint64_t tag, bool, bool) override { last = tag; }
    void cancelled(channel_id, std::string_view) override {}
    void channel_closed(channel_id, const refusal&) override {}
    void blocked(std::string_view) override {}

    std::uint64_t last = 0;
};

TEST_CASE("what TLS has decrypted already is read before the socket is waited for") {
    // The buffer holds 73,728 bytes, which is no whole number of TLS's records of 16,384: of the
    // last one 8,192 stay in the library.
    constexpr std::uint64_t all = 600;
    tls_server server;
    auto client = server.connect(4096);
    confirmations heard;
    server.says(69'000, all);

    while (heard.last == 0) REQUIRE(client.read(heard).value_or(false));
    REQUIRE(heard.last < all);
    client.wait(0ns);
    REQUIRE(client.read(heard));
    CHECK(heard.last == all);
}

}  // namespace rabbitmq_tls_buffer_test
