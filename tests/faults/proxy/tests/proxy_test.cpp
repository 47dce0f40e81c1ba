#include "faults/proxy/proxy.hpp"

#include "faults/proxy/tests/ends.hpp"
#include "faults/proxy/tests/frames.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using namespace faults;
using namespace faults::test;
using namespace std::chrono_literals;

namespace {

const auto ack = method(60, 80, 1, "tag and bit");

/// A server, the proxy before it, and one connection.
struct wire {
    listener behind;
    faults::proxy proxy{behind.port()};
    end client = connect(proxy.port());
    end server = behind.accept();
};

}  // namespace

TEST_CASE("without rules all bytes pass both ways, and so does the end of one") {
    wire all;
    all.client.send(protocol_header + publish("hello"));
    all.server.send(ack + "no frame at all");
    const auto sent = protocol_header + publish("hello");
    CHECK(all.server.receive(sent.size()) == sent);
    CHECK(all.client.receive(ack.size() + 15) == ack + "no frame at all");
    all.client.send("half a fr");
    all.client.send_no_more();
    CHECK(all.server.receive(9) == "half a fr");
    CHECK(all.server.next() == "closed");
    all.server.send(ack);
    CHECK(all.client.receive(ack.size()) == ack);
    all.server.send_no_more();
    CHECK(all.client.next() == "closed");
    CHECK(all.proxy.accepted() == 1);
    CHECK(all.proxy.seen(side::client, "basic.publish") == 1);
    CHECK(all.proxy.seen(side::client, "frame") == 4);
    CHECK(all.proxy.seen(side::server, "basic.ack") == 1);
    CHECK(all.proxy.most_bytes(side::client) == sent.size() + 9);
}

TEST_CASE("a cut before a frame lets what came before it pass, and nothing of it") {
    wire all;
    all.proxy.add("client basic.publish 3 before cut close");
    const auto one = publish("x");
    all.client.send(one + one + one);
    CHECK(all.server.receive(3 * one.size()) == one + one);
    CHECK(all.server.next() == "closed");
    CHECK(all.client.next() == "closed");
    CHECK(all.proxy.acted() == 1);
}

TEST_CASE("a cut behind a frame lets it pass and nothing more") {
    wire all;
    all.proxy.add("server basic.ack 2 after cut reset");
    all.server.send(ack + ack + ack);
    CHECK(all.client.receive(2 * ack.size()) == ack + ack);
    CHECK(all.client.next() == "reset");
    CHECK(all.server.next() == "reset");
}

TEST_CASE("a cut at any byte lets exactly the bytes before it pass") {
    const auto sent = protocol_header + publish("body") + ack;
    for (std::size_t byte = 0; byte <= sent.size(); ++byte) {
        wire all;
        all.proxy.add("client byte " + std::to_string(byte) + " cut close");
        all.client.send(sent);
        CHECK(all.server.receive(sent.size() + 1) == sent.substr(0, byte));
        CHECK(all.client.next() == "closed");
    }
}

TEST_CASE("a cut inside a frame that is too short acts at its end") {
    wire all;
    all.proxy.add("client basic.ack 1 inside 10000 cut close");
    all.client.send(ack + ack);
    CHECK(all.server.receive(2 * ack.size()) == ack);
}

TEST_CASE("a cut of all connections cuts those that did nothing as well") {
    wire all;
    const auto other = connect(all.proxy.port());
    const auto other_server = all.behind.accept();
    all.proxy.add("client basic.ack 1 cut all reset");
    all.client.send(ack);
    CHECK(all.client.next() == "reset");
    CHECK(other.next() == "reset");
    CHECK(other_server.next() == "reset");
}

TEST_CASE("the n-th is counted over all connections, and one that is cut leaves the others") {
    wire all;
    const auto other = connect(all.proxy.port());
    const auto other_server = all.behind.accept();
    all.proxy.add("client basic.ack 2 cut reset");
    all.client.send(ack);
    CHECK(all.server.receive(ack.size()) == ack);
    other.send(ack);
    CHECK(other.next() == "reset");
    all.client.send(ack);
    CHECK(all.server.receive(ack.size()) == ack);
}

TEST_CASE("what is held passes when it is released, in order, and the other side is not held") {
    wire all;
    all.proxy.add("client basic.ack 2 before hold client");
    all.client.send(ack + ack + publish("x"));
    REQUIRE(all.proxy.wait_acted(1, 10s));
    CHECK(all.server.receive(ack.size()) == ack);
    CHECK(all.server.now() == "silence");
    all.server.send(ack);
    CHECK(all.client.receive(ack.size()) == ack);
    all.client.send_no_more();
    CHECK(all.server.now() == "silence");
    all.proxy.act("release");
    const auto rest = ack + publish("x");
    CHECK(all.server.receive(rest.size()) == rest);
    CHECK(all.server.next() == "closed");
}

TEST_CASE("a stall holds what is sent for its time, both ways unless a side is named") {
    wire all;
    all.proxy.add("client basic.ack 1 after stall 60");
    const auto began = std::chrono::steady_clock::now();
    all.client.send(ack + ack);
    REQUIRE(all.proxy.wait_acted(1, 10s));
    all.server.send(ack);
    CHECK(all.client.receive(ack.size()) == ack);
    CHECK(std::chrono::steady_clock::now() - began >= 60ms);
    CHECK(all.server.receive(2 * ack.size()) == ack + ack);
    CHECK(std::chrono::steady_clock::now() - began >= 60ms);
}

TEST_CASE("bytes that are split arrive as they were sent") {
    for (const std::string how : {"bytes", "random"}) {
        wire all;
        all.proxy.act("split " + how);
        std::string sent = protocol_header;
        for (int each = 0; each < 20; ++each) sent += publish(std::string(500, 'x')) + ack;
        all.client.send(sent);
        CHECK(all.server.receive(sent.size()) == sent);
    }
}

TEST_CASE("a million bytes in both directions at once arrive") {
    wire all;
    std::string sent = protocol_header;
    for (int each = 0; each < 100; ++each) sent += publish(std::string(10'000, 'x'));
    const std::jthread client{[&] { all.client.send(sent); }};
    const std::jthread server{[&] { all.server.send(sent); }};
    CHECK((all.server.receive(sent.size()) == sent));
    CHECK((all.client.receive(sent.size()) == sent));
}

TEST_CASE("new connections are refused until they are allowed, at the same port") {
    wire all;
    all.proxy.add("client basic.ack 1 after refuse");
    all.proxy.add("client basic.ack 1 after cut all reset");
    all.client.send(ack);
    CHECK(all.server.receive(ack.size()) == ack);
    CHECK(all.client.next() == "reset");
    CHECK(try_to_connect(all.proxy.port()) == -1);
    all.proxy.act("allow");
    const auto again = connect(all.proxy.port());
    const auto server = all.behind.accept();
    again.send(ack);
    CHECK(server.receive(ack.size()) == ack);
}

TEST_CASE("a process is killed before the frame that says so passes") {
    wire all;
    const auto process = ::fork();
    if (process == 0) {
        for (;;) ::pause();
    }
    all.proxy.add("server basic.ack 1 before kill " + std::to_string(process));
    all.proxy.add("server basic.ack 1 before hold");
    all.server.send(ack);
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
    REQUIRE(all.proxy.wait_acted(2, 10s));
    CHECK(all.client.now() == "silence");
}

TEST_CASE("a function that a rule calls may use the proxy") {
    wire all;
    rule one;
    one.from = side::client;
    one.what = "basic.ack";
    one.at = 0;
    one.act.what = deed::call;
    one.act.function = [&] { all.proxy.act("cut all close"); };
    all.proxy.add(one);
    all.client.send(ack);
    CHECK(all.client.next() == "closed");
    CHECK(all.server.next() == "closed");
}

TEST_CASE("rules that are forgotten do nothing") {
    wire all;
    all.proxy.add("client basic.ack 1 cut reset");
    all.proxy.clear();
    all.client.send(ack);
    CHECK(all.server.receive(ack.size()) == ack);
    CHECK(all.proxy.acted() == 0);
}

TEST_CASE("a server that is not there ends the connection") {
    std::uint16_t nobody = 0;
    {
        const listener gone;
        nobody = gone.port();
    }
    const faults::proxy proxy{nobody};
    CHECK(connect(proxy.port()).next() == "closed");
}

TEST_CASE("a client that resets ends the server's side, after what it had sent") {
    wire all;
    {
        auto other = connect(all.proxy.port());
        const auto server = all.behind.accept();
        other.send(ack);
        CHECK(server.receive(ack.size()) == ack);
        server.send(ack);
        CHECK(other.next() == "bytes");
        // Closing with bytes unread is a reset.
        {
            const end gone{std::move(other)};
        }
        CHECK(server.next() == "closed");
    }
    all.client.send(ack);
    CHECK(all.server.receive(ack.size()) == ack);
}

TEST_CASE("the proxy's end ends its connections") {
    listener behind;
    auto proxy = std::make_unique<faults::proxy>(behind.port());
    const auto client = connect(proxy->port());
    const auto server = behind.accept();
    proxy.reset();
    CHECK(client.next() == "closed");
    CHECK(server.next() == "closed");
}

TEST_CASE("a text that is no rule or action is refused, and nothing changes") {
    wire all;
    CHECK_THROWS_AS(all.proxy.add("client basic.ack cut"), std::invalid_argument);
    CHECK_THROWS_AS(all.proxy.act("explode"), std::invalid_argument);
    all.client.send(ack);
    CHECK(all.server.receive(ack.size()) == ack);
}
