/// A channel as the server sees it, and what the server has to say to its client.
///
/// The server's lock guards both.
#pragma once

#include "transport/rabbitmq/server/message.hpp"
#include "transport/rabbitmq/server/queue.hpp"
#include "transport/rabbitmq/wire.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace waybill::rabbitmq::fake {

/// What was delivered and is not settled. The queue is null once it is deleted, the consumer once
/// it is cancelled.
struct unsettled_message {
    queue* in;
    consumer* by;
    entry what;
};

struct channel {
    connection* of;
    channel_id id;
    bool is_open = true;  ///< false: the server closed it, and its client does not know yet
    bool confirms = false;
    std::uint16_t prefetch = 0;
    std::uint64_t next_publish = 1;
    std::uint64_t next_tag = 1;
    std::map<std::uint64_t, unsettled_message> unsettled{};
    std::map<std::string, consumer*, std::less<>> consumers{};
};

/// What the server sends by itself.
namespace news {
struct delivery {
    channel_id on;
    std::string consumer;
    std::uint64_t tag;
    bool redelivered;
    message_ptr what;
    headers with;
};
struct returned {
    channel_id on;
    message_ptr what;
};
struct confirmed {
    channel_id on;
    std::uint64_t tag;
    bool multiple;
    bool taken;
};
struct cancelled {
    channel_id on;
    std::string consumer;
};
struct closed {
    channel_id on;
    refusal why;
};
struct blocked {
    std::string reason;
};
using any = std::variant<delivery, returned, confirmed, cancelled, closed, blocked>;
}  // namespace news

/// Where a channel's news go: implemented by its connection.
class mailbox {
public:
    virtual void post(news::any what) = 0;

protected:
    ~mailbox() = default;
};
[[nodiscard]] mailbox& mailbox_of(connection& of);

}  // namespace waybill::rabbitmq::fake
