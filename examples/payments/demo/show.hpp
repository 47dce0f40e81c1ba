/// The run itself: publishes the input, lets the service work, and draws what happens.
#pragma once

#include "demo/board.hpp"
#include "demo/input.hpp"
#include "demo/screen.hpp"

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace demo {

struct pace {
    bool is_virtual = false;  ///< on a clock that is moved by hand, without threads
    double speed = 1;         ///< how much faster than the machine's clock
};

struct show_result {
    ledger counted;
    std::size_t deliveries = 0;
    std::chrono::nanoseconds took{0};  ///< on the app's clock
    std::optional<dead_arrived> dead_letter;
    std::vector<std::size_t> open;  ///< lines of messages that have not ended
    std::string problem;            ///< why the service did not run; else empty
};

/// Ends when every message has ended, when none moves any more, when `interrupted` is not 0, or
/// when the screen cannot be written to.
show_result run_show(std::span<const request_line> lines, pace at, screen& on,
                     const std::atomic<int>& interrupted);

}  // namespace demo
