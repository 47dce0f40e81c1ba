#include "faults/proxy/proxy.hpp"

#include "faults/proxy/tests/ends.hpp"
#include "faults/proxy/tests/frames.hpp"

#include <doctest/doctest.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace faults;
using namespace faults::test;
using namespace std::chrono_literals;

namespace {

std::uint16_t server_port() {
    const char* const text = std::getenv("WAYBILL_RABBITMQ_PORT");
    REQUIRE_MESSAGE(text, "This is run by `scripts/live.sh run 3.10 -- ...`.");
    const std::string_view digits{text};
    std::uint16_t port = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return port;
}

/// Logs in as guest, to the virtual host `/`, with the frames that this takes.
void log_in(const end& client) {
    const std::string_view login{"\0guest\0guest", 12};
    client.send(protocol_header);
    client.send(method(10, 11, 0,
                       big_endian(0, 4) + "\x05PLAIN" + big_endian(login.size(), 4) +
                           std::string{login} + "\x05" + "en_US"));
    client.send(method(10, 31, 0, big_endian(10, 2) + big_endian(131072, 4) + big_endian(0, 2)));
    client.send(method(10, 40, 0, "\x01/" + std::string(2, '\0')));
    client.send(method(20, 10, 1, std::string(1, '\0')));
}

}  // namespace

TEST_CASE("the proxy knows the frames of a real server, and cuts at the one it is told") {
    proxy between{server_port()};
    between.add("server channel.open-ok 1 before cut reset");
    const auto client = connect(between.port());
    log_in(client);
    REQUIRE(between.wait_acted(1, 30s));
    for (const auto* name : {"connection.start", "connection.tune", "connection.open-ok"}) {
        CHECK(between.seen(side::server, name) == 1);
    }
    CHECK(between.seen(side::server, "frame") == 4);
    CHECK(between.seen(side::client, "protocol") == 1);
    CHECK(between.seen(side::client, "channel.open") == 1);
    const auto said = client.receive(1'000'000);
    CHECK(said.size() < between.most_bytes(side::server));
}

TEST_CASE("a real server takes frames that come byte by byte") {
    proxy between{server_port()};
    between.add("client protocol 1 before split bytes");
    between.add("server channel.open-ok 1 after cut close");
    const auto client = connect(between.port());
    log_in(client);
    REQUIRE(between.wait_acted(2, 30s));
    CHECK(client.receive(1'000'000).size() == between.most_bytes(side::server));
}
