/// Where a message is sent, as a text: a queue's name, or "/exchanges/<exchange>/<key>" with both
/// percent-encoded (as RabbitMQ itself writes addresses, version 2, of AMQP 1.0). "/queues/<queue>"
/// is a queue's name in any case.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace waybill::rabbitmq {

/// What a message is published to.
struct target {
    std::string exchange;  ///< "": the default exchange, whose keys are queues
    std::string key;

    [[nodiscard]] bool is_queue() const noexcept { return exchange.empty(); }
    friend bool operator==(const target&, const target&) = default;
};

/// True for what is a queue's name as it stands, which is nearly every address.
[[nodiscard]] constexpr bool is_plain_queue(std::string_view address) noexcept {
    return !address.starts_with('/');
}

/// Otherwise what is wrong with it, in words.
[[nodiscard]] std::expected<target, std::string> read_address(std::string_view address);
/// The shortest text that reads as the same.
[[nodiscard]] std::string write_address(std::string_view exchange, std::string_view key);

}  // namespace waybill::rabbitmq
