/// One process of a live service.
#pragma once

#include "scenario/live/line_socket.hpp"

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace waybill::scenario {

/// The program starts with these arguments, and two numbers behind them: the sockets over which it
/// tells what happens and is told what to do. Killed when this ends.
class process {
public:
    /// Throws std::system_error.
    process(const std::string& program, const std::vector<std::string>& arguments);
    ~process();
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    [[nodiscard]] line_socket& events() noexcept { return *events_; }
    [[nodiscard]] line_socket& commands() noexcept { return *commands_; }
    /// kill -9, and waits until it is gone.
    void kill() noexcept;
    /// Waits until it is gone by itself.
    void wait() noexcept;

private:
    std::unique_ptr<line_socket> events_;
    std::unique_ptr<line_socket> commands_;
    pid_t id_ = -1;
};

}  // namespace waybill::scenario
