/// A plain TCP connection to one host, with the system's own words when it fails.
#pragma once

#include "transport/rabbitmq/settings.hpp"

#include <chrono>
#include <expected>
#include <string>

namespace waybill::rabbitmq::io {

/// A connected socket that never waits, sends small writes at once and asks a silent peer whether
/// it is there; the caller closes it. Tries every address of the name in turn until the time is up.
[[nodiscard]] std::expected<int, std::string> reach(const host_port& host,
                                                    std::chrono::milliseconds within);

}  // namespace waybill::rabbitmq::io
