/// A `wire` to a real server: opened by rabbitmq-c, and from then on read and written here.
///
/// The library opens (TCP, TLS, the handshake, the login) and owns the socket; its reading and
/// writing wait where the socket does, recurse on nested tables and allocate for each frame, so the
/// frames after the login are this class's own. Every write is kept until the server takes it, and
/// no call waits but `wait` and those that are answered.
#pragma once

#include "transport/rabbitmq/io/alarm.hpp"
#include "transport/rabbitmq/io/frames.hpp"
#include "transport/rabbitmq/io/inbox.hpp"
#include "transport/rabbitmq/io/open.hpp"
#include "transport/rabbitmq/wire.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace waybill::rabbitmq::io {

class connection final : public wire {
public:
    using time_point = std::chrono::steady_clock::time_point;

    connection(opened link, std::chrono::milliseconds patience);

    [[nodiscard]] const server_facts& server() const noexcept override { return server_; }

    answer<void> open_channel(channel_id channel) override;
    answer<void> close_channel(channel_id channel) override;
    answer<void> select_confirms(channel_id channel) override;
    answer<void> prefetch(channel_id channel, std::uint16_t count) override;
    answer<queue_state> declare(channel_id channel, const queue_spec& what, bool passive) override;
    answer<void> declare(channel_id channel, const exchange_spec& what, bool passive) override;
    answer<void> bind_queue(channel_id channel, std::string_view queue, std::string_view exchange,
                            std::string_view key, const headers& arguments) override;
    answer<void> bind_exchange(channel_id channel, std::string_view to, std::string_view from,
                               std::string_view key, const headers& arguments) override;
    answer<std::uint32_t> delete_queue(channel_id channel, std::string_view name, bool if_unused,
                                       bool if_empty) override;
    answer<void> consume(channel_id channel, std::string_view queue, std::string_view tag,
                         bool exclusive, const headers& arguments) override;
    answer<void> cancel(channel_id channel, std::string_view tag) override;

    std::expected<void, error> publish(channel_id channel, const publication& what) override;
    void ack(channel_id channel, std::uint64_t tag, bool multiple) override;
    void nack(channel_id channel, std::uint64_t tag, bool multiple, bool requeue) override;
    void reject(channel_id channel, std::uint64_t tag, bool requeue) override;

    answer<void> flush() override;
    answer<bool> read(wire_events& to) override;
    void wait(std::optional<std::chrono::nanoseconds> at_most) override;
    void wake() noexcept override { alarm_.ring(); }
    void hurry() noexcept override {
        hurried_ = true;
        alarm_.ring();
    }
    void close() noexcept override;

private:
    /// A message between its method and its last byte.
    struct content {
        enum class part : std::uint8_t { none, header, body } awaits = part::none;
        bool is_return = false;
        bool redelivered = false;
        channel_id channel = 0;
        std::uint16_t code = 0;
        std::uint64_t tag = 0;
        std::size_t left = 0;
        std::byte* into = nullptr;  ///< null: a return's body, which nobody wants
        std::string first;          ///< the consumer's tag, or why it was returned
        std::string exchange;
        std::string key;
    };

    // ---- asking (asked.cpp). @{
    template <class Fill>
    answer<octet_reader> ask(channel_id channel, method_id asked, method_id awaited, Fill fill);
    template <class Fill>
    answer<void> ask_only(channel_id channel, method_id asked, method_id awaited, Fill fill);
    answer<void> bind(channel_id channel, method_id asked, method_id awaited, std::string_view to,
                      std::string_view from, std::string_view key, const headers& arguments);
    /// The server's answer, within `patience`; everything else that comes is held.
    answer<octet_reader> await(channel_id channel, method_id asked, method_id awaited,
                               std::chrono::milliseconds patience);
    answer<octet_reader> take_answer(channel_id channel, method_id asked, method_id awaited,
                                     std::chrono::milliseconds patience);
    void hold(const frame& what);
    answer<octet_reader> refused(channel_id channel, octet_reader closing);
    answer<octet_reader> refuse_here(channel_id channel, std::string why);
    /// @}

    // ---- what comes (incoming.cpp). @{
    bool dispatch(wire_events& to);
    /// False when the connection fell by it.
    bool handle(wire_events& to, const frame& what);
    bool handle_method(wire_events& to, const frame& what);
    bool begin_content(const frame& what, bool is_return);
    bool take_header(wire_events& to, const frame& what);
    bool make_room(wire_events& to);
    bool take_body(wire_events& to, const frame& what);
    void close_by_server(wire_events& to, const frame& what);
    void block(wire_events& to, const frame& what);
    bool malformed(const char* what);
    [[nodiscard]] std::optional<channel_id> busy_channel() const noexcept;
    /// @}

    // ---- the socket (connection.cpp). @{
    void receive();
    void write_some();
    void drop_sent();
    void drop_all() noexcept;
    void salvage(const std::string& why);
    void fall(std::uint16_t code, std::string text);
    void fall_by_close(octet_reader closing);
    void beat(time_point now);
    [[nodiscard]] std::optional<time_point> next_beat() const noexcept;
    /// Waits for the socket, and for the alarm where it is asked for; true when the socket has
    /// something to read.
    bool poll_until(std::optional<time_point> until, bool alarm_too);
    [[nodiscard]] bool is_open(channel_id channel) const noexcept {
        return channel < open_.size() && open_[channel] && !fallen_;
    }
    void mark(channel_id channel, bool open);
    /// @}

    byte_stream stream_;
    server_facts server_;
    std::chrono::seconds heartbeat_;
    std::chrono::milliseconds patience_;
    std::size_t frame_most_;
    alarm alarm_;
    inbox inbox_;
    byte_buffer out_;
    std::size_t written_ = 0;  ///< of `out_`
    byte_buffer packed_;
    content content_;
    std::vector<bool> open_;
    std::optional<refusal> fallen_;
    time_point last_sent_;
    time_point last_heard_;
    wire_events* hears_ = nullptr;  ///< who has read last
    std::atomic<bool> hurried_{false};
    bool is_blocked_ = false;
    bool silenced_ = false;  ///< the alarm, by who waited for an answer
    bool more_ = false;      ///< the last receive did not take everything
    bool quiet_ = false;     ///< the last wait found nothing to read
};

}  // namespace waybill::rabbitmq::io
