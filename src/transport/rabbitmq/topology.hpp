/// What a service declares, and what a server refused, in words.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>

#include <span>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

/// What is declared, for people, a line each: "queue orders (quorum, x-max-length 1000), bound to
/// events by order.#".
[[nodiscard]] std::vector<std::string> in_words(const broker::data& what,
                                                std::span<const source* const> read);

/// A refusal of something done to a queue or an exchange: what, where, and what to do. `where`
/// begins with "queue " or "exchange ".
[[nodiscard]] error explain_refusal(const refusal& why, std::string where);

}  // namespace waybill::rabbitmq
