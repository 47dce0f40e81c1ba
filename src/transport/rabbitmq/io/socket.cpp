#include "transport/rabbitmq/io/socket.hpp"

#include <amqp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace waybill::rabbitmq::io {

void state_deleter::operator()(amqp_connection_state_t_* state) const noexcept {
    amqp_destroy_connection(state);
}

byte_stream::byte_stream(state_owner state, ssl_st* tls) noexcept
    : state_{std::move(state)}, tls_{tls}, descriptor_{amqp_get_sockfd(state_.get())} {}

bool byte_stream::holds_bytes() const noexcept { return tls_ != nullptr && SSL_pending(tls_) > 0; }

byte_stream::moved_bytes byte_stream::send(std::span<const std::byte> bytes) {
    if (tls_ != nullptr) {
        ERR_clear_error();
        const auto size = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
        const int done = SSL_write(tls_, bytes.data(), size);
        return done > 0 ? moved_bytes{result::some, static_cast<std::size_t>(done)}
                        : failed_tls(done);
    }
    while (true) {
        const auto done =
            ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done >= 0) return {result::some, static_cast<std::size_t>(done)};
        if (errno != EINTR) return failed_tcp();
    }
}

byte_stream::moved_bytes byte_stream::receive(std::span<std::byte> into) {
    if (tls_ != nullptr) {
        ERR_clear_error();
        const auto size = static_cast<int>(std::min<std::size_t>(into.size(), INT_MAX));
        const int done = SSL_read(tls_, into.data(), size);
        return done > 0 ? moved_bytes{result::some, static_cast<std::size_t>(done)}
                        : failed_tls(done);
    }
    while (true) {
        const auto done = ::recv(descriptor_, into.data(), into.size(), MSG_DONTWAIT);
        if (done > 0) return {result::some, static_cast<std::size_t>(done)};
        if (done == 0) return {result::closed, 0};
        if (errno != EINTR) return failed_tcp();
    }
}

byte_stream::moved_bytes byte_stream::failed_tcp() {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {result::none, 0};
    why_ = std::system_category().message(errno);
    return {result::broken, 0};
}

byte_stream::moved_bytes byte_stream::failed_tls(int returned) {
    const int system = errno;
    switch (SSL_get_error(tls_, returned)) {
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
            return {result::none, 0};
        case SSL_ERROR_ZERO_RETURN:
            return {result::closed, 0};
        default:
            break;
    }
    const auto code = ERR_peek_last_error();
    if (code != 0) {
        const char* text = ERR_reason_error_string(code);
        why_ = text != nullptr ? text : "TLS failed";
    } else {
        why_ = system != 0 ? std::system_category().message(system) : "the other side hung up";
    }
    ERR_clear_error();
    return {result::broken, 0};
}

}  // namespace waybill::rabbitmq::io
