/// A plain client on rabbitmq-c: what a service without a framework would write.
///
/// Belongs to one thread. Whatever the server or the library refuses ends the program with words.
#pragma once

#include <amqp.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A queue, and how what is published to it is kept.
enum class queue_kind : std::uint8_t {
    transient,  ///< classic, messages that a restart of the server forgets
    quorum,     ///< quorum, persistent messages
};

inline constexpr std::size_t window_size = 1000;
inline constexpr std::size_t body_size = 100;

class raw_client {
public:
    explicit raw_client(const std::string& url);
    ~raw_client();
    raw_client(const raw_client&) = delete;
    raw_client& operator=(const raw_client&) = delete;

    /// An empty one; what was there under that name goes first.
    void make_queue(const std::string& name, queue_kind kind);
    void delete_queue(const std::string& name);
    /// Ends the program unless so many are ready in it, soon: a figure of messages that were lost,
    /// doubled or not settled would be none.
    void expect_ready(const std::string& name, std::uint32_t count);

    void select_confirms();
    void publish(std::string_view queue, std::string_view body, queue_kind kind);
    /// Until none that was published is unconfirmed, or `most` are.
    void await_confirms(std::size_t most = 0);
    /// `count` bodies of `body_size`, confirmed; each begins with its number.
    void fill(const std::string& queue, std::size_t count, queue_kind kind);

    void consume(const std::string& queue, std::uint16_t prefetch);
    /// The next delivery's tag; its body is then in `body`.
    std::uint64_t next();
    void ack(std::uint64_t tag);
    [[nodiscard]] std::string_view body() const noexcept;

private:
    void check(const char* what);
    std::uint32_t ready(const std::string& name);

    amqp_connection_state_t state_;
    amqp_envelope_t envelope_{};
    bool has_envelope_ = false;
    std::uint64_t published_ = 0;
    std::uint64_t first_ = 1;  ///< the tag of confirmed_[0]
    std::vector<bool> confirmed_;
    std::size_t unconfirmed_ = 0;
};

/// 100 bytes that begin with a number.
std::string numbered_body(std::size_t number);

}  // namespace bench
