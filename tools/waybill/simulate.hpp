/// `waybill simulate`: plays a file and prints what happened.
#pragma once

#include <string>
#include <string_view>

namespace waybill::tool {

struct simulate_options {
    std::string file;  ///< "-": standard input
    bool text = false;
    std::string live;       ///< a server's URL; empty: in process
    std::string control;    ///< live: the program that restarts it and deletes addresses
    bool discards = false;  ///< live: queues of the file may be deleted with what they hold
};

/// What the command is called with, and two sockets, to be a live scenario's service; for nobody
/// else.
inline constexpr std::string_view serve_verb = "serve-a-scenario";

/// The exit code: 0 as expected, 1 not, 2 refused.
int simulate(const simulate_options& how);

}  // namespace waybill::tool
