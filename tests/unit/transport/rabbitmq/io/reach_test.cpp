// Which of a name's addresses is reached. They are ports of loopback here.
#include "transport/rabbitmq/io/reach.hpp"

#include "login_server.hpp"

#include <doctest/doctest.h>
#include <netdb.h>
#include <poll.h>

#include <vector>

namespace rabbitmq_reach_test {

using namespace std::chrono_literals;
using waybill::rabbitmq::io::reach_one_of;

struct address {
    explicit address(std::uint16_t port) {
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(port);
        info.ai_family = AF_INET;
        info.ai_socktype = SOCK_STREAM;
        info.ai_addr = reinterpret_cast<sockaddr*>(&at);
        info.ai_addrlen = sizeof at;
    }
    address(const address&) = delete;
    address& operator=(const address&) = delete;

    sockaddr_in at{};
    addrinfo info{};
};

/// A port where nobody answers: as many as it holds wait there to be accepted.
class silent_port {
public:
    silent_port() {
        bool answers = true;
        while (answers) {
            const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            REQUIRE(client >= 0);
            waiting_.push_back(client);
            const address to{listener_.port};
            (void)::connect(client, to.info.ai_addr, to.info.ai_addrlen);
            pollfd connected{client, POLLOUT, 0};
            answers = ::poll(&connected, 1, 100) == 1;
        }
    }
    ~silent_port() {
        for (const int each : waiting_) ::close(each);
    }
    silent_port(const silent_port&) = delete;
    silent_port& operator=(const silent_port&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port; }

private:
    support::loopback listener_{0};
    std::vector<int> waiting_;
};

TEST_CASE("an address that does not answer leaves time to those behind it") {
    const silent_port silent;
    const support::loopback listening;
    address first{silent.port()};
    address second{silent.port()};
    address third{listening.port};
    first.info.ai_next = &second.info;
    second.info.ai_next = &third.info;
    const auto reached = reach_one_of(&first.info, std::chrono::steady_clock::now() + 900ms);
    REQUIRE_MESSAGE(reached.has_value(), (reached ? "" : reached.error()));
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    CHECK(::getpeername(*reached, reinterpret_cast<sockaddr*>(&peer), &size) == 0);
    CHECK(ntohs(peer.sin_port) == listening.port);
    ::close(*reached);
}

TEST_CASE("where no address answers the time is up, and not before") {
    const silent_port silent;
    address first{silent.port()};
    address second{silent.port()};
    first.info.ai_next = &second.info;
    const auto began = std::chrono::steady_clock::now();
    const auto reached = reach_one_of(&first.info, began + 100ms);
    CHECK(std::chrono::steady_clock::now() - began >= 100ms);
    REQUIRE_FALSE(reached.has_value());
    CHECK(reached.error() == "Connection timed out");
}

}  // namespace rabbitmq_reach_test
