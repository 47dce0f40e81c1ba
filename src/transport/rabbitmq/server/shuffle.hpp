/// Confirms as a busy server sends them: out of order, and several by one.
#pragma once

#include "transport/rabbitmq/server/channel.hpp"

#include <deque>
#include <random>

namespace waybill::rabbitmq::fake {

/// Moves the confirms behind all else, mixed. They hold all that is unconfirmed on their channels.
void mix_confirms(std::deque<news::any>& all, std::mt19937_64& chance);

}  // namespace waybill::rabbitmq::fake
