/// Waits for SIGTERM, SIGINT or an event, without a signal handler.
#pragma once

#include <csignal>

namespace waybill::wiring {

/// Something that happens once, and that a thread can wait for together with a signal. Thread-safe.
class event {
public:
    event();
    ~event();
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    void happen() noexcept;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_ = -1;
};

/// While it lives, the two signals are blocked in this thread and in those that it starts, and are
/// read from a descriptor instead. The mask is put back at the end; a signal that came by then and
/// was not waited for is dropped, as the stop that it asks for is over.
class signal_wait {
public:
    signal_wait();
    ~signal_wait();
    signal_wait(const signal_wait&) = delete;
    signal_wait& operator=(const signal_wait&) = delete;

    /// Waits for the next signal or for the event; the signal's number, or 0.
    [[nodiscard]] int wait(const event& other) const;

private:
    int descriptor_ = -1;
    sigset_t before_{};
};

}  // namespace waybill::wiring
