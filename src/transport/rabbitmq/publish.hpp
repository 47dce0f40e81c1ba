/// One message on its way to the server, owned by the publishing connection until its ticket was
/// told how it ended.
#pragma once

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/rabbitmq.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace waybill::rabbitmq {

/// Tells a ticket that wants to know why it ends so. Before it is told how.
void explain_to(detail::publish_ticket* ticket, error why);

struct publish {
    publish* next = nullptr;
    detail::publish_ticket* ticket = nullptr;
    byte_buffer bytes;  ///< exchange, key, packed headers and body, one behind the other
    std::uint32_t exchange_size = 0;
    std::uint32_t key_size = 0;
    std::size_t headers_size = 0;

    std::chrono::milliseconds waits{0};     ///< in the queue that it goes to; 0: it does not wait
    queue_type kind = queue_type::classic;  ///< of that queue
    target back_to;                         ///< where it goes from there

    std::uint64_t likeness = 0;  ///< `likeness_of` its headers; 0: nobody has asked yet
    std::string why;             ///< it was refused; empty: nobody has said
    bool is_returned = false;    ///< the server could not route it, or one like it
    bool is_suspect = false;     ///< it was in flight when the server closed the channel
    bool has_ended = false;      ///< ... ended the connection for a fault, and it was the only one

    [[nodiscard]] publication view() const noexcept {
        const auto* text = reinterpret_cast<const char*>(bytes.data());
        const auto all = bytes.bytes();
        const std::size_t head = std::size_t{exchange_size} + key_size;
        return {{text, exchange_size},
                {text + exchange_size, key_size},
                all.subspan(head, headers_size),
                all.subspan(head + headers_size),
                true};
    }
};

}  // namespace waybill::rabbitmq
