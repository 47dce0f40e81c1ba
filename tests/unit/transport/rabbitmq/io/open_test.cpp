// What comes of an attempt to connect that fails. The server is a socket of the test.
#include "login_server.hpp"
#include "transport/rabbitmq/settings.hpp"
#include <waybill/error.hpp>

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rabbitmq_open_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;

enum class end : std::uint8_t { in_order, by_reset };

/// What a server of one client does that hears what comes first, and hangs up.
void hang_up(int client, end how) {
    std::array<char, 4096> hello{};
    (void)::recv(client, hello.data(), hello.size(), 0);
    if (how != end::by_reset) return;
    const linger at_once{1, 0};
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

waybill::error failure(end how, bool tls) {
    const support::one_client_server server{[how](int client) { hang_up(client, how); }};
    connection_settings to;
    to.hosts = {{"127.0.0.1", server.port()}};
    to.connection_timeout = 10s;
    to.tls.on = tls;
    auto opened = make_connector(to)->open("test");
    REQUIRE_FALSE(opened);
    return std::move(opened.error());
}

TEST_CASE("a server that hangs up inside of the TLS handshake may be there again soon") {
    for (const auto how : {end::in_order, end::by_reset}) {
        CAPTURE(static_cast<int>(how));
        const auto why = failure(how, true);
        CHECK(why.code == waybill::errc::connection);
        CHECK(why.what == "The server hung up while TLS was agreed upon");
        CHECK(why.fix == "See the log of the server, and that the port is its TLS port");
    }
}

TEST_CASE("a server that hangs up before the login has not refused it") {
    const auto why = failure(end::in_order, false);
    CHECK(why.code == waybill::errc::connection);
    CHECK(why.what == "The server hung up during the login");
    CHECK(why.fix == "See the log of the server, and that the port is not its TLS port");
}

/// connection.blocked, to its last byte but one; then that byte and the next such frame, again and
/// again until the client has hung up, or so many came that it seems to wait for ever.
void never_ends_a_frame(int client) {
    constexpr int for_ever = 1000;
    auto words = support::words_of_login();
    waybill::byte_buffer blocked;
    {
        const io::frame_writer frame{blocked, 0, io::method_id::connection_blocked};
        put_short(blocked, "memory");
    }
    words.append(blocked.data(), blocked.size() - 1);
    support::say(client, words);
    waybill::byte_buffer rest;
    rest.append(blocked.data() + blocked.size() - 1, 1);
    rest.append(blocked.data(), blocked.size() - 1);
    pollfd gone{client, POLLRDHUP, 0};
    for (int said = 0; said < for_ever && ::poll(&gone, 1, 5) == 0; ++said) {
        support::say(client, rest);
    }
}

TEST_CASE("a server that never ends what it says after the login has the time of one attempt") {
    const support::one_client_server server{never_ends_a_frame};
    connection_settings to;
    to.hosts = {{"127.0.0.1", server.port()}};
    to.connection_timeout = 2s;
    const auto began = std::chrono::steady_clock::now();
    const auto opened = make_connector(to)->open("test");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == waybill::errc::connection);
    CHECK(opened.error().what == "It fell after the login: request timed out");
    CHECK(std::chrono::steady_clock::now() - began < 20s);
}

TEST_CASE("whoever is stopped tries no further host") {
    std::atomic<connector*> tries{nullptr};
    const support::loopback second;
    const support::one_client_server first{[&](int) { tries.load()->give_up(); }};
    connection_settings to;
    to.hosts = {{"127.0.0.1", first.port()}, {"127.0.0.1", second.port}};
    const auto connector = make_connector(to);
    tries = connector.get();
    const auto opened = connector->open("test");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == waybill::errc::stopped);
    pollfd came{second.descriptor(), POLLIN, 0};
    CHECK(::poll(&came, 1, 0) == 0);
}

}  // namespace rabbitmq_open_test
