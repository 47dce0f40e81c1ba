/// The bytes of one connection that is open and logged in: rabbitmq-c has made it, and the
/// connection reads and writes them without ever waiting.
///
/// Guarantee: no call waits, none raises SIGPIPE. With TLS the bytes that OpenSSL has decrypted but
/// not handed out are told by `holds_bytes`, since the socket is silent about them. Belongs to one
/// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct amqp_connection_state_t_;
struct ssl_st;

namespace waybill::rabbitmq::io {

struct state_deleter {
    void operator()(amqp_connection_state_t_* state) const noexcept;
};
using state_owner = std::unique_ptr<amqp_connection_state_t_, state_deleter>;

class byte_stream {
public:
    /// `tls` belongs to `state`; null: there is none.
    byte_stream(state_owner state, ssl_st* tls) noexcept;

    enum class result : unsigned char {
        some,    ///< `moved` bytes
        none,    ///< it would have to wait
        closed,  ///< by the other side, in order
        broken,  ///< `why` says how
    };
    struct moved_bytes {
        result how = result::none;
        std::size_t moved = 0;
    };
    [[nodiscard]] moved_bytes send(std::span<const std::byte> bytes);
    [[nodiscard]] moved_bytes receive(std::span<std::byte> into);

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] bool holds_bytes() const noexcept;
    /// The system's words for the last `broken`.
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    moved_bytes failed_tls(int returned);
    moved_bytes failed_tcp();

    state_owner state_;
    ssl_st* tls_;
    int descriptor_;
    std::string why_;
};

}  // namespace waybill::rabbitmq::io
