/// A client of RabbitMQ that is not the product's: rabbitmq-c, one call after another. It fills
/// queues, empties them, and says what is in them.
///
/// Belongs to one thread. What the server refuses throws std::runtime_error with its words; the
/// client is of no use then, but for `exists`, which may ask again.
#pragma once

#include "live/rig/server.hpp"

#include <amqp.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace live {

/// What a table holds, as text: its type's letter and its value ("S:abc", "I:-5", "F:{a=t:1}").
std::string to_text(const amqp_field_value_t& value);

struct plain_message {
    std::string exchange;
    std::string key;
    std::string body;
    bool redelivered = false;
    std::uint64_t tag = 0;
    std::map<std::string, std::string> properties;             ///< by name, as text
    std::vector<std::pair<std::string, std::string>> headers;  ///< in order, as `to_text` has them

    /// A header of that name; "" when there is none.
    [[nodiscard]] std::string header(std::string_view name) const;
    /// The same without its type's letter.
    [[nodiscard]] std::string text(std::string_view name) const;
};

/// Arguments of a declaration.
struct argument {
    std::string name;
    std::variant<std::string, std::int64_t> value;
};

class plain_client {
public:
    /// To the server of the environment (WAYBILL_RABBITMQ), or to another port of it.
    explicit plain_client(std::uint16_t port = 0, const login_words& as = login_of_server());
    ~plain_client();
    plain_client(const plain_client&) = delete;
    plain_client& operator=(const plain_client&) = delete;

    /// What was there under that name goes first.
    void make_queue(const std::string& name, const std::vector<argument>& with = {});
    void make_exchange(const std::string& name, const std::string& type,
                       const std::vector<argument>& with = {});
    void bind(const std::string& queue, const std::string& exchange, const std::string& key);
    /// Done, also when there is none.
    void delete_queue(const std::string& name);
    void delete_exchange(const std::string& name);
    [[nodiscard]] bool exists(const std::string& queue);
    /// How many are ready in it.
    [[nodiscard]] std::uint32_t ready(const std::string& queue);

    /// Confirmed when `confirm` has returned, which waits for all that were published.
    void publish(const std::string& exchange, const std::string& key, std::string_view body,
                 const amqp_basic_properties_t* with = nullptr);
    void confirm();
    /// "0" to "count - 1", each with `suffix`, confirmed.
    void fill(const std::string& queue, int count, const std::string& suffix = {});

    /// The next one, acked; nothing when none is ready.
    std::optional<plain_message> get(const std::string& queue);
    /// The next one, left in hand.
    std::optional<plain_message> hold(const std::string& queue);
    /// Everything that is ready, acked.
    std::vector<plain_message> drain(const std::string& queue);

private:
    void open_channel();
    void check(const std::string& what);
    std::optional<plain_message> fetch(const std::string& queue, bool acks);

    amqp_connection_state_t state_ = nullptr;
    amqp_channel_t channel_ = 0;
    std::uint64_t published_ = 0;
    std::set<std::uint64_t> unconfirmed_;
};

/// The properties that a message without any has here: persistent.
amqp_basic_properties_t persistent();

}  // namespace live
