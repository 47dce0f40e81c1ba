// What a connection to a server makes of frames in an order that a real server shows seldom. The
// server's side of the socket is the test.
#include "transport/rabbitmq/io/connection.hpp"

#include "heap_peak.hpp"
#include "transport/rabbitmq/keeper.hpp"
#include <waybill/clock.hpp>

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace rabbitmq_io_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;
using io::frame_writer;
using io::method_id;

/// Hears nothing but which channels were closed, and whether the server blocks.
class closures final : public wire_events {
public:
    std::byte* begins(const arrival&) override { return nullptr; }
    void arrived() override {}
    void returned(const returned_message&) override {}
    void confirmed(channel_id, std::uint64_t, bool, bool) override {}
    void cancelled(channel_id, std::string_view) override {}
    void channel_closed(channel_id channel, const refusal&) override { all.push_back(channel); }
    void blocked(std::string_view reason) override {
        blocks = !reason.empty();
        blocks.notify_all();
    }

    std::vector<channel_id> all;
    std::atomic<bool> blocks{false};
};

using heard_methods = std::vector<std::pair<channel_id, method_id>>;
const heard_methods only_close_ok{{1, method_id::channel_close_ok}};

/// Says what it is told to before it is asked, so nobody ever waits.
class scripted_server {
public:
    scripted_server() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0); }
    ~scripted_server() {
        if (ends_[1] != -1) ::close(ends_[1]);
    }
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    /// The client's connection. Once.
    io::connection connect(std::chrono::milliseconds patience = 2s) {
        io::state_owner state{amqp_new_connection()};
        amqp_tcp_socket_set_sockfd(amqp_tcp_socket_new(state.get()), ends_[0]);
        server_facts facts;
        facts.frame_max = 131'072;
        return {io::opened{io::byte_stream{std::move(state), nullptr}, facts, 0s, {}}, patience};
    }
    void says(channel_id channel, method_id method) {
        says(channel, method, [](auto&) {});
    }
    void closes(channel_id channel, std::uint16_t code, std::string_view why) {
        says(channel, method_id::channel_close, [&](auto& out) {
            put(out, code);
            put_short(out, why);
            put(out, std::uint32_t{0});
        });
    }
    void confirms(channel_id channel, std::uint64_t tag) {
        says(channel, method_id::basic_ack, [&](auto& out) {
            put(out, tag);
            put(out, std::uint8_t{0});
        });
    }
    /// The beginning of a message, and nothing of its body.
    void delivers(channel_id channel, std::uint64_t body_size) {
        waybill::byte_buffer out;
        {
            const frame_writer delivering{out, channel, method_id::basic_deliver};
            put_short(out, "consumer");
            put(out, std::uint64_t{1});
            put(out, std::uint8_t{0});
            put_short(out, "exchange");
            put_short(out, "key");
        }
        {
            const frame_writer header{out, io::frame_kind::header, channel};
            put(out, io::basic_class);
            put(out, std::uint16_t{0});
            put(out, body_size);
            put(out, std::uint16_t{0});
        }
        send(out);
    }
    /// The rest of it, in one frame.
    void sends_body(channel_id channel, std::size_t size) {
        waybill::byte_buffer out;
        {
            const frame_writer body{out, io::frame_kind::body, channel};
            std::ranges::fill_n(out.extend(size), static_cast<std::ptrdiff_t>(size), std::byte{});
        }
        send(out);
    }
    void hangs_up() { ::close(std::exchange(ends_[1], -1)); }
    void blocks() {
        says(0, method_id::connection_blocked, [](auto& out) { put_short(out, "low on memory"); });
    }
    /// And answers what was asked meanwhile, in one go.
    void unblocks(channel_id channel, method_id answer) {
        waybill::byte_buffer out;
        {
            const frame_writer over{out, 0, method_id::connection_unblocked};
        }
        {
            const frame_writer plain{out, channel, answer};
        }
        send(out);
    }
    /// The methods that the client has sent since the last call, each behind its channel.
    heard_methods heard() {
        std::array<std::byte, 4096> room{};
        const auto size = ::recv(ends_[1], room.data(), room.size(), MSG_DONTWAIT);
        heard_methods all;
        std::span<const std::byte> left{room.data(),
                                        size < 0 ? 0U : static_cast<std::size_t>(size)};
        while (!left.empty()) {
            const auto front = io::look_at_front(left, room.size());
            REQUIRE(front.is == io::frame_at_front::state::whole);
            all.emplace_back(front.what.channel, front.what.method());
            left = left.subspan(front.size);
        }
        return all;
    }

    /// The client's socket holds little. Before it connects.
    void holds_little() const {
        constexpr int size = 4096;
        REQUIRE(setsockopt(ends_[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0);
    }
    /// Takes at most so many bytes of what the client has sent; how many there were.
    [[nodiscard]] std::size_t takes(std::size_t most) const {
        std::array<std::byte, 4096> room{};
        const auto size = ::recv(ends_[1], room.data(), std::min(most, room.size()), MSG_DONTWAIT);
        return size < 0 ? 0 : static_cast<std::size_t>(size);
    }

private:
    template <class Arguments>
    void says(channel_id channel, method_id method, const Arguments& put_arguments) const {
        waybill::byte_buffer out;
        {
            const frame_writer method_frame{out, channel, method};
            put_arguments(out);
        }
        send(out);
    }
    void send(const waybill::byte_buffer& what) const {
        REQUIRE(::send(ends_[1], what.data(), what.size(), 0) == static_cast<ssize_t>(what.size()));
    }

    std::array<int, 2> ends_{};
};

/// The server has closed channel 1, which the client saw come while it asked on channel 2.
struct closed_meanwhile {
    closed_meanwhile() {
        for (const channel_id each : {1, 2}) {
            server.says(each, method_id::channel_open_ok);
            REQUIRE(client.open_channel(each));
        }
        server.closes(1, 406, "PRECONDITION_FAILED - unknown delivery tag 7");
        server.says(2, method_id::basic_qos_ok);
        REQUIRE(client.prefetch(2, 1));
        static_cast<void>(server.heard());
    }

    scripted_server server;
    io::connection client = server.connect();
    closures events;
};

TEST_CASE("who asks on a channel that the server has closed meanwhile is told why at once") {
    closed_meanwhile at;
    const auto asked = at.client.prefetch(1, 5);
    REQUIRE_FALSE(asked);
    CHECK(asked.error().code == 406);
    CHECK(asked.error().text == "PRECONDITION_FAILED - unknown delivery tag 7");
    CHECK(at.server.heard() == only_close_ok);
    // It was told so already, and the rest of the connection goes on.
    CHECK(at.client.read(at.events));
    CHECK(at.events.all.empty());
    at.server.says(1, method_id::channel_open_ok);
    CHECK(at.client.open_channel(1));
}

TEST_CASE("a channel that both sides close at once is closed") {
    closed_meanwhile at;
    CHECK(at.client.close_channel(1));
    CHECK(at.server.heard() == only_close_ok);
    CHECK(at.client.read(at.events));
    CHECK(at.events.all.empty());
}

TEST_CASE("who asks on no such channel hears of it from what is read") {
    closed_meanwhile at;
    CHECK(at.client.read(at.events));
    CHECK(at.events.all == std::vector<channel_id>{1});
    REQUIRE(at.client.flush());
    CHECK(at.server.heard() == only_close_ok);
}

/// The server blocks a client that has no patience at all.
struct blocked_client {
    blocked_client() {
        server.blocks();
        REQUIRE(client.read(events));
        CHECK(events.blocks);
    }

    scripted_server server;
    io::connection client = server.connect(0ms);
    closures events;
};

TEST_CASE("a server that blocks answers later, and is waited for as long as it does") {
    blocked_client at;
    std::expected<void, refusal> answered;
    std::thread asks{[&] { answered = at.client.prefetch(1, 1); }};
    at.server.unblocks(1, method_id::basic_qos_ok);
    asks.join();
    CHECK(answered);
    CHECK(!at.events.blocks);
    at.client.wake();
    at.client.wait({});  // as a wait for an answer has taken nobody's waking
    CHECK_FALSE(at.client.prefetch(1, 1));
}

TEST_CASE("who waits for an answer hears that the server blocks now") {
    scripted_server server;
    auto client = server.connect();
    closures events;
    REQUIRE(client.read(events));
    std::expected<void, refusal> answered;
    std::thread asks{[&] { answered = client.prefetch(1, 1); }};
    server.blocks();
    events.blocks.wait(false);
    server.unblocks(1, method_id::basic_qos_ok);
    asks.join();
    CHECK(answered);
    CHECK(!events.blocks);
}

TEST_CASE("who is in a hurry waits for no server that blocks") {
    blocked_client at;
    std::expected<void, refusal> answered;
    std::thread asks{[&] { answered = at.client.prefetch(1, 1); }};
    at.client.hurry();
    asks.join();
    REQUIRE_FALSE(answered);
    CHECK(answered.error().code == 0);
    CHECK(answered.error().text.find("takes nothing now") != std::string::npos);
}

/// Makes room as far as it has memory.
class sizes final : public wire_events {
public:
    explicit sizes(std::size_t most) : most_{most} {}
    std::byte* begins(const arrival& head) override {
        all.push_back(head.body_size);
        if (head.body_size > most_) throw std::bad_alloc{};
        return nullptr;
    }
    void arrived() override { ++arrivals; }
    void returned(const returned_message&) override {}
    void confirmed(channel_id, std::uint64_t, bool, bool) override {}
    void cancelled(channel_id, std::string_view) override {}
    void channel_closed(channel_id, const refusal&) override {}
    void blocked(std::string_view) override {}

    std::vector<std::size_t> all;
    int arrivals = 0;

private:
    std::size_t most_;
};

/// Why the connection falls where a message of that size is announced; "" where it does not.
std::string fall_by(std::uint64_t body_size, sizes& events) {
    scripted_server server;
    auto client = server.connect();
    server.delivers(1, body_size);
    CHECK(client.read(events));
    const auto works = client.flush();
    return works ? "" : works.error().text;
}

TEST_CASE("no room is made for a message that is larger than any server takes") {
    constexpr std::uint64_t largest = std::uint64_t{512} * 1024 * 1024;
    sizes events{SIZE_MAX};
    CHECK(fall_by(largest, events).empty());
    CHECK(events.all == std::vector<std::size_t>{largest});
    for (const auto size : {largest + 1, std::uint64_t{UINT32_MAX}, UINT64_MAX}) {
        CHECK(fall_by(size, events) ==
              "The server announced a message of " + std::to_string(size) +
                  " bytes, and no server takes one of more than 536870912");
    }
    CHECK(events.all.size() == 1);
}

TEST_CASE("a message for which there is no memory stays with the server") {
    sizes events{1000};
    CHECK(fall_by(1000, events).empty());
    CHECK(fall_by(1001, events) == "There is no memory for a message of 1001 bytes");
}

TEST_CASE("a message for which there was no memory does not arrive, though all of it has come") {
    for (const std::size_t size : {1000, 1001}) {
        CAPTURE(size);
        scripted_server server;
        auto client = server.connect();
        sizes events{1000};
        server.delivers(1, size);
        server.sends_body(1, size / 2);
        server.sends_body(1, size - size / 2);
        // As a keeper does that takes what came before the fall.
        for (auto read = client.read(events); read && *read;) read = client.read(events);
        CHECK(events.arrivals == (size == 1000 ? 1 : 0));
        CHECK(client.flush().has_value() == (size == 1000));
    }
}

/// A client that publishes faster than its server reads.
struct slow_server {
    slow_server() {
        server.holds_little();
        server.says(1, method_id::channel_open_ok);
        REQUIRE(client.open_channel(1));
        static_cast<void>(server.heard());
    }
    void publish() {
        REQUIRE(client.publish(1, {"", "orders", {}, body, true}));
        REQUIRE(client.flush());
    }
    /// Takes so many bytes, which the client has kept or sent.
    void take(std::size_t bytes) {
        while (bytes != 0) {
            bytes -= server.takes(bytes);
            REQUIRE(client.flush());
        }
    }
    void take_all() {
        while (server.takes(SIZE_MAX) != 0) REQUIRE(client.flush());
    }

    scripted_server server;
    io::connection client = server.connect();
    const std::vector<std::byte> body = std::vector<std::byte>(1024);
};

TEST_CASE("what the server has taken is not kept while it is behind") {
    slow_server at;
    const support::heap_watch watch;
    for (int each = 0; each < 300; ++each) at.publish();
    for (int each = 0; each < 8192; ++each) {
        at.publish();
        at.take(at.body.size());
    }
    CHECK(watch.peak() < std::size_t{4} * 1024 * 1024);
}

TEST_CASE("what a server needed that was far behind is given back once it has caught up") {
    slow_server at;
    const support::heap_watch watch;
    for (int each = 0; each < 3000; ++each) at.publish();
    CHECK(watch.in_use() > std::size_t{2} * 1024 * 1024);
    at.take_all();
    CHECK(watch.in_use() <= std::size_t{1024} * 1024);
}

/// Of a test that drives by hand.
struct quiet_host final : waybill::detail::transport_host {
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return clock; }
    void timer_changed() noexcept override {}
    [[nodiscard]] bool is_driven_by_hand() const noexcept override { return true; }

    std::shared_ptr<waybill::clock> clock = std::make_shared<waybill::manual_clock>();
};

/// Connects once.
struct one_connection final : connector {
    explicit one_connection(scripted_server& to) : server{to} {}
    std::expected<std::unique_ptr<wire>, waybill::error> open(std::string_view) override {
        if (std::exchange(is_used, true)) {
            return std::unexpected(waybill::error{waybill::errc::connection, "test", "gone", ""});
        }
        return std::unique_ptr<wire>{new io::connection(server.connect())};
    }

    scripted_server& server;
    bool is_used = false;
};

/// Writes down what it hears, in order.
class writing_job final : public job {
public:
    std::expected<void, waybill::error> opened(wire& on) override {
        REQUIRE(on.open_channel(1));
        return {};
    }
    void lost(const refusal&) override { heard += "lost "; }
    void work(wire& on) override {
        if (std::exchange(writes, false)) on.ack(1, 1, false);
    }
    [[nodiscard]] bool has_work() const noexcept override { return writes; }
    void was_read() override { heard += "read "; }
    std::byte* begins(const arrival&) override { return nullptr; }
    void arrived() override {}
    void returned(const returned_message&) override {}
    void confirmed(channel_id, std::uint64_t tag, bool, bool) override {
        heard += "confirmed " + std::to_string(tag) + ' ';
    }
    void cancelled(channel_id, std::string_view) override {}
    void channel_closed(channel_id, const refusal&) override {}
    void blocked(std::string_view) override {}

    std::string heard;
    bool writes = false;
};

TEST_CASE("what was confirmed before a write failed is heard before the connection is given up") {
    scripted_server server;
    one_connection to{server};
    writing_job does;
    quiet_host host;
    server.says(1, method_id::channel_open_ok);
    keeper at{to, does, host, "test", "test"};
    REQUIRE(at.start());
    server.confirms(1, 7);
    server.confirms(1, 8);
    server.hangs_up();
    does.writes = true;
    at.poke();
    CHECK(does.heard == "confirmed 7 confirmed 8 lost ");
    CHECK_FALSE(at.is_open());
}

}  // namespace rabbitmq_io_test
