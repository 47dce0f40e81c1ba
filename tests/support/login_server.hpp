/// A server that lets a client in whatever it says, on a port of its own on loopback.
#pragma once

#include "transport/rabbitmq/io/frames.hpp"
#include <waybill/byte_buffer.hpp>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

namespace support {

/// All that a server says while somebody logs in: it may be said before it is asked.
inline waybill::byte_buffer words_of_login() {
    namespace io = waybill::rabbitmq::io;
    using waybill::rabbitmq::put;
    const auto method = [](unsigned number) { return io::method_id{10U << 16U | number}; };
    waybill::byte_buffer out;
    const auto put_long = [&](std::string_view text) {
        put(out, static_cast<std::uint32_t>(text.size()));
        out.append(text);
    };
    {
        const io::frame_writer start{out, 0, method(10)};
        put(out, std::uint8_t{0});
        put(out, std::uint8_t{9});
        put_long("");  // a table of nothing
        put_long("PLAIN");
        put_long("en_US");
    }
    {
        const io::frame_writer tune{out, 0, method(30)};
        put(out, std::uint16_t{2047});
        put(out, std::uint32_t{131'072});
        put(out, std::uint16_t{0});
    }
    {
        const io::frame_writer open_ok{out, 0, method(41)};
        waybill::rabbitmq::put_short(out, "");
    }
    return out;
}

/// A listener; a name for a port.
class loopback {
public:
    explicit loopback(int backlog = 8)
        : listens_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* const at = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(listens_, at, size) == 0);
        REQUIRE(::listen(listens_, backlog) == 0);
        REQUIRE(::getsockname(listens_, at, &size) == 0);
        port = ntohs(address.sin_port);
    }
    ~loopback() { ::close(listens_); }
    loopback(const loopback&) = delete;
    loopback& operator=(const loopback&) = delete;

    [[nodiscard]] int descriptor() const noexcept { return listens_; }
    /// Waits for a client.
    [[nodiscard]] int accept() const { return ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC); }

    std::uint16_t port = 0;

private:
    int listens_;
};

/// Takes one client, lets `serves` speak with it on a thread, and hangs up.
class one_client_server {
public:
    explicit one_client_server(std::function<void(int)> serves)
        : thread_{[this, serves = std::move(serves)] {
              const int client = listener_.accept();
              serves(client);
              ::close(client);
          }} {}
    ~one_client_server() { thread_.join(); }
    one_client_server(const one_client_server&) = delete;
    one_client_server& operator=(const one_client_server&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port; }

private:
    loopback listener_;
    std::thread thread_;
};

/// Until the client has hung up.
inline void hear_out(int client) {
    std::array<char, 4096> any{};
    while (::recv(client, any.data(), any.size(), 0) > 0) {
    }
}

inline void say(int client, const waybill::byte_buffer& words) {
    (void)::send(client, words.data(), words.size(), MSG_NOSIGNAL);
}

}  // namespace support
