#include "scenario/live/gate.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <list>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace waybill::scenario {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error{errno, std::generic_category(), what};
}

class descriptor {
public:
    explicit descriptor(int number = -1) noexcept : number_{number} {}
    ~descriptor() { reset(); }
    descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    void reset() noexcept {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }
    [[nodiscard]] int get() const noexcept { return number_; }

private:
    int number_;
};

descriptor listen_at_a_free_port() {
    descriptor made{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (made.get() < 0) fail("socket");
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) fail("bind");
    if (::listen(made.get(), SOMAXCONN) != 0) fail("listen");
    return made;
}

std::uint16_t port_of(const descriptor& listening) {
    sockaddr_in at{};
    socklen_t size = sizeof at;
    if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) {
        fail("getsockname");
    }
    return ntohs(at.sin_port);
}

descriptor connect_to(const rabbitmq::host_port& server) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const auto port = std::to_string(server.port);
    if (::getaddrinfo(server.host.c_str(), port.c_str(), &hints, &found) != 0) return descriptor{};
    descriptor made;
    for (const auto* each = found; each != nullptr && made.get() < 0; each = each->ai_next) {
        descriptor tried{::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        if (tried.get() < 0) continue;
        if (::connect(tried.get(), each->ai_addr, each->ai_addrlen) == 0) made = std::move(tried);
    }
    ::freeaddrinfo(found);
    return made;
}

/// Two ends that are told what the other says.
struct pair {
    std::array<descriptor, 2> ends;
    std::array<std::string, 2> for_end;  ///< bytes that wait to be written
};

/// It ends as one that somebody cut, and not in order.
void reset(descriptor& one) {
    const linger at_once{1, 0};
    ::setsockopt(one.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    one.reset();
}

void set_options(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

class gate::engine {
public:
    explicit engine(std::vector<rabbitmq::host_port> servers)
        : servers_{std::move(servers)},
          listening_{listen_at_a_free_port()},
          port_{port_of(listening_)} {
        std::array<int, 2> pipe{};
        if (::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) fail("pipe");
        wakes_ = descriptor{pipe[0]};
        wakener_ = descriptor{pipe[1]};
        thread_ = std::thread{[this] { run(); }};
    }
    ~engine() {
        ends_ = true;
        wake();
        thread_.join();
    }
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::size_t connections() const noexcept { return count_; }
    /// Returns when it is so.
    void shut(bool is_so) {
        wanted_shut_ = is_so;
        wake();
        while (is_shut_ != is_so) std::this_thread::yield();
    }

private:
    void wake() {
        const char one = 1;
        (void)!::write(wakener_.get(), &one, 1);
    }

    void run() {
        while (!ends_) {
            change();
            wait();
        }
    }
    void change() {
        if (wanted_shut_ == is_shut_) return;
        if (wanted_shut_) {
            pairs_.clear();
            count_ = 0;
        }
        is_shut_ = wanted_shut_.load();
    }
    void wait() {
        std::vector<pollfd> all{{wakes_.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}};
        for (const auto& each : pairs_) {
            for (const int end : {0, 1}) {
                const bool is_full = !each.for_end[1 - end].empty();
                const auto reads = static_cast<short>(is_full ? 0 : POLLIN);
                const auto writes = static_cast<short>(each.for_end[end].empty() ? 0 : POLLOUT);
                all.push_back({each.ends[end].get(), static_cast<short>(reads | writes), 0});
            }
        }
        if (::poll(all.data(), all.size(), -1) < 0) return;
        std::array<char, 64> unread;
        while (::read(wakes_.get(), unread.data(), unread.size()) > 0) {
        }
        auto at = all.begin() + 2;
        for (auto each = pairs_.begin(); each != pairs_.end(); at += 2) {
            const bool stands = move(*each, 0, at[0].revents) && move(*each, 1, at[1].revents);
            each = stands ? std::next(each) : pairs_.erase(each);
        }
        if ((all[1].revents & POLLIN) != 0) accept();
        count_ = pairs_.size();
    }
    void accept() {
        descriptor from{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (from.get() < 0) return;
        if (is_shut_) return reset(from);
        for (std::size_t tried = 0; tried < servers_.size(); ++tried) {
            auto to = connect_to(servers_[tried]);
            if (to.get() < 0) continue;
            set_options(from.get());
            set_options(to.get());
            pairs_.push_back({{std::move(from), std::move(to)}, {}});
            return;
        }
    }
    /// False: the connection ends.
    static bool move(pair& of, int end, short what) {
        if ((what & POLLOUT) != 0 && !write(of, end)) return false;
        if ((what & (POLLIN | POLLHUP | POLLERR)) == 0) return true;
        std::array<char, 1 << 16> piece;
        const auto count = ::recv(of.ends[end].get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        if (count == 0) return false;
        of.for_end[1 - end].append(piece.data(), static_cast<std::size_t>(count));
        return write(of, 1 - end);
    }
    static bool write(pair& of, int end) {
        auto& left = of.for_end[end];
        const auto count =
            ::send(of.ends[end].get(), left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        left.erase(0, static_cast<std::size_t>(count));
        return true;
    }

    std::vector<rabbitmq::host_port> servers_;
    descriptor listening_;
    std::uint16_t port_;
    descriptor wakes_;
    descriptor wakener_;
    std::list<pair> pairs_;
    std::atomic<std::size_t> count_{0};
    std::atomic<bool> wanted_shut_{false};
    std::atomic<bool> is_shut_{false};
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

gate::gate(std::vector<rabbitmq::host_port> servers)
    : engine_{std::make_unique<engine>(std::move(servers))} {}
gate::~gate() = default;

std::uint16_t gate::port() const noexcept { return engine_->port(); }
void gate::shut() { engine_->shut(true); }
void gate::open() { engine_->shut(false); }
std::size_t gate::connections() const { return engine_->connections(); }

}  // namespace waybill::scenario
