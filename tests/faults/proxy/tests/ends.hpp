/// The two ends of a connection through the proxy, as sockets that a test drives by hand.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace faults::test {

/// Owns a socket. Waits at most ten seconds for anything.
class end {
public:
    explicit end(int socket) : socket_{socket} {
        if (socket_ < 0) throw std::system_error{errno, std::generic_category(), "socket"};
    }
    end(end&& other) noexcept : socket_{std::exchange(other.socket_, -1)} {}
    ~end() {
        if (socket_ >= 0) ::close(socket_);
    }
    end& operator=(end&&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count < 0) throw std::system_error{errno, std::generic_category(), "send"};
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    void send_no_more() const { ::shutdown(socket_, SHUT_WR); }

    /// Exactly so many bytes, or less when the other end ends.
    [[nodiscard]] std::string receive(std::size_t size) const {
        std::string bytes(size, '\0');
        std::size_t have = 0;
        while (have < size && readable()) {
            const auto count = ::recv(socket_, bytes.data() + have, size - have, 0);
            if (count <= 0) break;
            have += static_cast<std::size_t>(count);
        }
        bytes.resize(have);
        return bytes;
    }
    /// How it goes on: "bytes", "closed", "reset" or "silence".
    [[nodiscard]] std::string next() const { return readable() ? now() : "silence"; }
    /// The same, without waiting.
    [[nodiscard]] std::string now() const {
        char byte = 0;
        const auto count = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (count > 0) return "bytes";
        if (count == 0) return "closed";
        return errno == ECONNRESET ? "reset" : "silence";
    }

private:
    [[nodiscard]] bool readable() const {
        pollfd ready{socket_, POLLIN, 0};
        return ::poll(&ready, 1, 10'000) > 0;
    }

    int socket_;
};

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// Where the server would listen.
class listener {
public:
    listener() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        auto address = loopback(0);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, any, size) != 0 || ::listen(socket_, 16) != 0 ||
            ::getsockname(socket_, any, &size) != 0) {
            throw std::system_error{errno, std::generic_category(), "listener"};
        }
        port_ = ntohs(address.sin_port);
    }
    ~listener() { ::close(socket_); }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] end accept() const {
        return end{::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)};
    }

private:
    int socket_;
    std::uint16_t port_ = 0;
};

/// -1 when nobody listens.
inline int try_to_connect(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(port);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        return socket;
    }
    ::close(socket);
    return -1;
}

inline end connect(std::uint16_t port) { return end{try_to_connect(port)}; }

}  // namespace faults::test
