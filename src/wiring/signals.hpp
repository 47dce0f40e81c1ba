/// Waits for SIGTERM, SIGINT or a request, without a signal handler.
#pragma once

#include <csignal>

namespace waybill::wiring {

/// While it lives, the two signals are blocked in this thread and in those that it starts, and are
/// read from a descriptor instead. The mask is put back at the end.
class signal_wait {
public:
    signal_wait();
    ~signal_wait();
    signal_wait(const signal_wait&) = delete;
    signal_wait& operator=(const signal_wait&) = delete;

    /// Waits for a signal or for `other` to become readable; the signal's number, or 0.
    int wait(int other) const;

private:
    int descriptor_ = -1;
    sigset_t before_{};
};

}  // namespace waybill::wiring
