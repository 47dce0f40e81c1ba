#include "scenario/live/gate.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace gate_test {

constexpr int limit_ms = 10'000;

/// A socket of this test's own.
class plain_socket {
public:
    explicit plain_socket(int number = ::socket(AF_INET, SOCK_STREAM, 0)) : number_{number} {
        REQUIRE(number_ >= 0);
    }
    ~plain_socket() { ::close(number_); }
    plain_socket(const plain_socket&) = delete;
    plain_socket& operator=(const plain_socket&) = delete;

    /// Whether the system lets it; 0: a free port.
    [[nodiscard]] bool listens_at(std::uint16_t port) const {
        const int yes = 1;
        ::setsockopt(number_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        const auto at = loopback(port);
        return ::bind(number_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
               ::listen(number_, 8) == 0;
    }
    [[nodiscard]] std::uint16_t port() const {
        sockaddr_in at{};
        socklen_t size = sizeof at;
        REQUIRE(::getsockname(number_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
        return ntohs(at.sin_port);
    }
    [[nodiscard]] bool connects_to(std::uint16_t port) const {
        const auto at = loopback(port);
        return ::connect(number_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    }
    [[nodiscard]] int next_connection() const {
        REQUIRE(is_readable());
        return ::accept(number_, nullptr, nullptr);
    }
    void say(char what) const { REQUIRE(::send(number_, &what, 1, MSG_NOSIGNAL) == 1); }
    /// '-': the connection was cut.
    [[nodiscard]] char hear() const {
        REQUIRE(is_readable());
        char what = 0;
        return ::recv(number_, &what, 1, 0) == 1 ? what : '-';
    }

private:
    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return at;
    }
    [[nodiscard]] bool is_readable() const {
        pollfd one{number_, POLLIN, 0};
        return ::poll(&one, 1, limit_ms) == 1;
    }

    int number_;
};

}  // namespace gate_test

using namespace gate_test;

TEST_CASE("a gate that is shut cuts what stands and what comes, and passes bytes on again after") {
    const plain_socket server;
    REQUIRE(server.listens_at(0));
    waybill::scenario::gate gate{{{"127.0.0.1", server.port()}}};

    const plain_socket first;
    REQUIRE(first.connects_to(gate.port()));
    first.say('a');
    const plain_socket of_first{server.next_connection()};
    CHECK(of_first.hear() == 'a');

    gate.shut();
    CHECK(gate.connections() == 0);
    CHECK(first.hear() == '-');
    CHECK(of_first.hear() == '-');
    const plain_socket meanwhile;
    if (meanwhile.connects_to(gate.port())) CHECK(meanwhile.hear() == '-');

    gate.open();
    const plain_socket second;
    REQUIRE(second.connects_to(gate.port()));
    second.say('b');
    const plain_socket of_second{server.next_connection()};
    CHECK(of_second.hear() == 'b');
}

TEST_CASE("nobody takes the port of a gate while it is shut") {
    const plain_socket server;
    REQUIRE(server.listens_at(0));
    waybill::scenario::gate gate{{{"127.0.0.1", server.port()}}};
    gate.shut();
    const plain_socket intruder;
    CHECK_FALSE(intruder.listens_at(gate.port()));
    CHECK(errno == EADDRINUSE);
    gate.open();
    const plain_socket client;
    CHECK(client.connects_to(gate.port()));
}
