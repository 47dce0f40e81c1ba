/// The frames of AMQP 0-9-1 and the methods of it that are spoken here.
///
/// Guarantee: a frame that a `frame_writer` wrote has its length and its end when the writer is
/// gone. What is read is bounded by the frame.
#pragma once

#include "transport/rabbitmq/octets.hpp"
#include <waybill/byte_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace waybill::rabbitmq::io {

enum class frame_kind : std::uint8_t { method = 1, header = 2, body = 3, heartbeat = 8 };

/// Class and method number.
enum class method_id : std::uint32_t {
    connection_close = 10U << 16U | 50U,
    connection_close_ok = 10U << 16U | 51U,
    connection_blocked = 10U << 16U | 60U,
    connection_unblocked = 10U << 16U | 61U,
    channel_open = 20U << 16U | 10U,
    channel_open_ok = 20U << 16U | 11U,
    channel_flow = 20U << 16U | 20U,
    channel_flow_ok = 20U << 16U | 21U,
    channel_close = 20U << 16U | 40U,
    channel_close_ok = 20U << 16U | 41U,
    exchange_declare = 40U << 16U | 10U,
    exchange_declare_ok = 40U << 16U | 11U,
    exchange_bind = 40U << 16U | 30U,
    exchange_bind_ok = 40U << 16U | 31U,
    queue_declare = 50U << 16U | 10U,
    queue_declare_ok = 50U << 16U | 11U,
    queue_bind = 50U << 16U | 20U,
    queue_bind_ok = 50U << 16U | 21U,
    queue_delete = 50U << 16U | 40U,
    queue_delete_ok = 50U << 16U | 41U,
    basic_qos = 60U << 16U | 10U,
    basic_qos_ok = 60U << 16U | 11U,
    basic_consume = 60U << 16U | 20U,
    basic_consume_ok = 60U << 16U | 21U,
    basic_cancel = 60U << 16U | 30U,
    basic_cancel_ok = 60U << 16U | 31U,
    basic_publish = 60U << 16U | 40U,
    basic_return = 60U << 16U | 50U,
    basic_deliver = 60U << 16U | 60U,
    basic_ack = 60U << 16U | 80U,
    basic_reject = 60U << 16U | 90U,
    basic_nack = 60U << 16U | 120U,
    confirm_select = 85U << 16U | 10U,
    confirm_select_ok = 85U << 16U | 11U,
};

/// "queue.declare", for people.
[[nodiscard]] const char* name_of(method_id method) noexcept;

inline constexpr std::size_t frame_head = 7;
inline constexpr std::size_t frame_overhead = 8;
inline constexpr std::byte frame_end{0xCE};
inline constexpr std::uint16_t basic_class = 60;

/// A frame between its head and its end: what is put into the buffer meanwhile is its payload.
class frame_writer {
public:
    frame_writer(byte_buffer& to, frame_kind kind, std::uint16_t channel)
        : to_{to}, begin_{to.size()} {
        auto* head = to.extend(frame_head);
        *head = static_cast<std::byte>(kind);
        to_network(head + 1, channel);
    }
    frame_writer(byte_buffer& to, std::uint16_t channel, method_id method)
        : frame_writer{to, frame_kind::method, channel} {
        put(to, static_cast<std::uint32_t>(method));
    }
    frame_writer(const frame_writer&) = delete;
    frame_writer& operator=(const frame_writer&) = delete;
    ~frame_writer() {
        if (begin_ == given_up) return;
        to_network(to_.data() + begin_ + 3, static_cast<std::uint32_t>(payload()));
        *to_.extend(1) = frame_end;
    }

    [[nodiscard]] std::size_t payload() const noexcept { return to_.size() - begin_ - frame_head; }
    /// Takes the frame back.
    void give_up() {
        to_.resize(begin_);
        begin_ = given_up;
    }

private:
    static constexpr std::size_t given_up = SIZE_MAX;
    byte_buffer& to_;
    std::size_t begin_;
};

/// One whole frame where it lies.
struct frame {
    frame_kind kind{};
    std::uint16_t channel = 0;
    std::span<const std::byte> payload;

    /// What method it is, where it is one.
    [[nodiscard]] method_id method() const noexcept {
        return payload.size() < 4
                   ? method_id{}
                   : static_cast<method_id>(from_network<std::uint32_t>(payload.data()));
    }
    [[nodiscard]] bool is(method_id which) const noexcept {
        return kind == frame_kind::method && method() == which;
    }
    [[nodiscard]] octet_reader arguments() const noexcept {
        return octet_reader{payload.subspan(4)};
    }
};

/// What stands at the beginning of the bytes that came.
struct frame_at_front {
    enum class state : std::uint8_t { whole, partial, malformed } is = state::partial;
    frame what;
    std::size_t size = 0;  ///< of the whole frame
};
[[nodiscard]] inline frame_at_front look_at_front(std::span<const std::byte> bytes,
                                                  std::size_t most) noexcept {
    if (bytes.size() < frame_head) return {};
    const auto payload = from_network<std::uint32_t>(bytes.data() + 3);
    const auto size = std::size_t{payload} + frame_overhead;
    using state = frame_at_front::state;
    if (size > most) return {state::malformed, {}, size};
    if (bytes.size() < size) return {state::partial, {}, size};
    if (bytes[size - 1] != frame_end) return {state::malformed, {}, size};
    return {state::whole,
            {static_cast<frame_kind>(bytes[0]), from_network<std::uint16_t>(bytes.data() + 1),
             bytes.subspan(frame_head, payload)},
            size};
}

}  // namespace waybill::rabbitmq::io
