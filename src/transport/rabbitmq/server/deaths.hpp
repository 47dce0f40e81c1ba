/// What dead-lettering does to a message, as each version of the server does it.
///
/// Until 3.10 the record of deaths stands in the header `x-death` alone, and what a client put
/// there is taken up. From 4.0 on the server keeps its own record, and replaces the header by it.
#pragma once

#include "transport/rabbitmq/server/message.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq::fake {

namespace reason {
inline constexpr std::string_view rejected = "rejected";
inline constexpr std::string_view expired = "expired";
inline constexpr std::string_view too_many = "maxlen";
inline constexpr std::string_view delivery_limit = "delivery_limit";
}  // namespace reason

/// Where a queue sends its dead.
struct dead_letter_target {
    std::string exchange;
    std::optional<std::string> key;  ///< none: the message's own keys
};

/// The message that is published in place of one that died in `queue` for `why`.
[[nodiscard]] message after_death(const message& of, std::string_view queue, std::string_view why,
                                  const dead_letter_target& to, server_version version,
                                  std::chrono::milliseconds wall);

/// The record that goes with a message, newest first.
[[nodiscard]] std::vector<death> deaths_of(const message& of, server_version version);

/// It died in that queue before, and nobody has rejected it since: it goes in circles by itself,
/// and the server drops it.
[[nodiscard]] bool is_cycle(std::string_view queue, std::span<const death> deaths);

}  // namespace waybill::rabbitmq::fake
