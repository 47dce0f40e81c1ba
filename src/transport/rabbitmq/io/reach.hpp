/// A plain TCP connection to one host, with the system's own words when it fails.
#pragma once

#include "transport/rabbitmq/settings.hpp"

#include <chrono>
#include <expected>
#include <string>

struct addrinfo;

namespace waybill::rabbitmq::io {

/// A connected socket that never waits, sends small writes at once and asks a silent peer whether
/// it is there; the caller closes it. Tries every address of the name in turn until the time is up;
/// one that does not answer takes no more than its share of what is left, so that the next has one.
/// (Looking the name up takes as long as the system lets it.)
[[nodiscard]] std::expected<int, std::string> reach(const host_port& host,
                                                    std::chrono::milliseconds within);
/// The same, of addresses that are known.
[[nodiscard]] std::expected<int, std::string> reach_one_of(
    const addrinfo* list, std::chrono::steady_clock::time_point deadline);

}  // namespace waybill::rabbitmq::io
