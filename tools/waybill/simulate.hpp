/// `waybill simulate`: plays a file and prints what happened.
#pragma once

#include <string>

namespace waybill::tool {

struct simulate_options {
    std::string file;  ///< "-": standard input
    bool text = false;
    std::string live;  ///< a server's URL; empty: in process
};

/// The exit code: 0 as expected, 1 not, 2 refused.
int simulate(const simulate_options& how);

}  // namespace waybill::tool
