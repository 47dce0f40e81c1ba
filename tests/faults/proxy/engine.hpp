/// What runs behind faults::proxy: its thread, its sockets and its rules.
///
/// All under one lock but for the wait in poll. A function that a rule calls runs under it too, in
/// the thread that holds it: hence the kind of lock.
#pragma once

#include "faults/proxy/link.hpp"
#include "faults/proxy/proxy.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

namespace faults {

/// Owns a descriptor; throws std::system_error when there is none.
class descriptor {
public:
    explicit descriptor(int number, const char* what) : number_{number} {
        if (number_ < 0) throw std::system_error{errno, std::generic_category(), what};
    }
    ~descriptor() { ::close(number_); }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

class proxy::engine {
public:
    explicit engine(proxy_options options);
    ~engine();

    template <class Function>
    auto locked(const Function& function) {
        const std::lock_guard lock{mutex_};
        if constexpr (std::is_void_v<decltype(function())>) {
            function();
            wake();
        } else {
            return function();
        }
    }
    void act_on_all(const action& what);
    bool wait_acted(std::uint64_t times, std::chrono::milliseconds at_most);

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    rule_book rules_;
    std::array<std::map<std::string, std::uint64_t, std::less<>>, 2> seen_;
    std::array<std::uint64_t, 2> most_bytes_{};
    std::uint64_t accepted_ = 0;
    std::uint64_t acted_ = 0;

private:
    void run();
    void wake() const;
    void accept_one();
    void bind_listener();
    void listen_on() const;
    void cycle(const std::vector<pollfd>& found);
    std::vector<pollfd> waits_for(instant now);
    [[nodiscard]] int patience(instant now) const;
    std::vector<due_action> meet(side from, const piece& passing);
    void act(link& on, const action& what);
    void act_on_one(link& on, const action& what);
    void act_for_all(const action& what);

    proxy_options options_;
    std::uint16_t port_;
    descriptor listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                         "socket"};
    descriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"};
    bool listening_ = true;
    bool stopping_ = false;
    std::list<link> links_;
    std::vector<link*> polled_;
    std::recursive_mutex mutex_;
    std::condition_variable_any acted_changed_;
    std::thread thread_;
};

}  // namespace faults
