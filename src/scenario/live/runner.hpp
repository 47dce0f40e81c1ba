/// Plays a scenario against a real server: the service in a process of its own, time as it is.
///
/// The server's queues that the file names are deleted before and after it. For one thread.
#pragma once

#include "scenario/runner.hpp"

#include <functional>
#include <string>
#include <vector>

namespace waybill::scenario {

struct live_options {
    std::string url;
    std::string control;    ///< the program for `restart` and `delete ADDRESS`; empty: none
    bool discards = false;  ///< queues that hold messages, or are read, may be deleted
    /// How a process of the service is started: a program and its arguments.
    std::string program;
    std::vector<std::string> arguments;
    std::function<void(const std::string& sentence)> remark;  ///< for a person
};

/// `text` is the file as it was read.
[[nodiscard]] result play_live(const scenario& told, const std::string& text,
                               const live_options& how, trace::sink to);

}  // namespace waybill::scenario
