#include "wiring/signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace waybill::wiring {
namespace {

sigset_t stopping_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

}  // namespace

event::event() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

event::~event() { ::close(descriptor_); }

void event::happen() noexcept {
    const std::uint64_t one = 1;
    // Refused only when it has happened 2^64 - 2 times already.
    (void)!::write(descriptor_, &one, sizeof one);
}

signal_wait::signal_wait() {
    const auto set = stopping_signals();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
    descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "signalfd"};
}

signal_wait::~signal_wait() {
    signalfd_siginfo unread{};
    while (::read(descriptor_, &unread, sizeof unread) == sizeof unread) {
    }
    ::close(descriptor_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int signal_wait::wait(const event& other) const {
    while (true) {
        std::array<pollfd, 2> ready{{{descriptor_, POLLIN, 0}, {other.descriptor(), POLLIN, 0}}};
        if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return 0;
        if ((ready[1].revents & POLLIN) != 0) return 0;
        if ((ready[0].revents & POLLIN) == 0) continue;
        signalfd_siginfo received{};
        if (::read(descriptor_, &received, sizeof received) == sizeof received) {
            return static_cast<int>(received.ssi_signo);
        }
    }
}

}  // namespace waybill::wiring
