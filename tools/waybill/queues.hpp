/// `waybill queues list` and `prune`: the waiting queues of a RabbitMQ server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waybill::tool {

struct queues_options {
    std::string url;
    std::vector<std::string> origins;      ///< addresses that what waits comes back to
    std::vector<std::uint64_t> constants;  ///< ms, beside the grid
    std::uint64_t wait_seconds = 60;       ///< how long a quorum queue is watched at most
};

/// Prints a table on standard output, progress and errors on standard error. The exit code: 0; 1
/// when the server could not be asked; 2 for a URL or an address that is none. Never prints the
/// password.
int queues(const queues_options& how, bool prunes);

}  // namespace waybill::tool
