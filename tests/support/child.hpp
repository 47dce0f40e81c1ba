/// A program that a test starts, listens to and sends signals.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::test {

/// Belongs to one thread. The program's standard output and error come in together. Destroying a
/// child that still runs kills it.
class child {
public:
    /// A program that lies beside the test's own; throws std::system_error when there is none.
    child(const std::string& name, std::vector<std::string> arguments);
    ~child();
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    /// Reads on until the text has been said; false when the program ends, or a minute passes,
    /// without it.
    bool says(std::string_view text);
    void send(int signal) const;
    /// The exit code; 128 and the signal's number when a signal ended it; -1 when it has not ended
    /// after a minute.
    int wait();
    [[nodiscard]] pid_t process() const noexcept { return process_; }
    [[nodiscard]] const std::string& said() const noexcept { return said_; }

private:
    bool read_more();

    pid_t process_ = -1;
    int output_ = -1;
    std::string said_;
};

}  // namespace waybill::test
