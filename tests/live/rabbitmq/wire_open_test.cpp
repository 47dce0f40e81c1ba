#include "wire_rig.hpp"

#include <thread>

using namespace live::wire_rig;

namespace {

std::string failure_of(const rabbitmq::connection_settings& to) {
    const auto wire = rabbitmq::make_connector(to)->open("refused");
    REQUIRE_FALSE(wire.has_value());
    return std::string{waybill::to_string(wire.error().code)} + " | " + wire.error().message();
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_SUITE("live: opening a wire") {
    TEST_CASE("the server tells what it is") {
        auto wire = opened();
        CHECK(wire->server().product == "RabbitMQ");
        CHECK(wire->server().version == environment("WAYBILL_RABBITMQ_VERSION"));
        CHECK(wire->server().frame_max == 131'072);
        CHECK(wire->server().channel_max == 2047);
        wire->close();
        CHECK(refused(wire->flush()) == "0 The connection was closed");
    }

    TEST_CASE("a wrong password is refused for good, and stands in no text") {
        auto to = settings(environment("WAYBILL_RABBITMQ"));
        to.password = "not-the-password";
        const auto text = failure_of(to);
        CAPTURE(text);
        CHECK(holds(text, "refused | amqp://127.0.0.1:"));
        CHECK(holds(text, "403 ACCESS_REFUSED"));
        CHECK_FALSE(holds(text, "not-the-password"));
    }

    TEST_CASE("a virtual host that there is not is refused for good") {
        auto to = settings(environment("WAYBILL_RABBITMQ"));
        to.vhost = "there/is no such";
        const auto text = failure_of(to);
        CAPTURE(text);
        CHECK(text.starts_with("refused | "));
        CHECK(holds(text, "530 NOT_ALLOWED"));
        CHECK(holds(text, "add_vhost"));
    }

    TEST_CASE("hosts are tried in turn, and the error names each") {
        auto to = settings(environment("WAYBILL_RABBITMQ"));
        const auto good = to.hosts.front();
        to.hosts = {{"127.0.0.1", 1}, good, {"no-such-host.invalid", 5672}};
        const auto connector = rabbitmq::make_connector(to);
        for (int i = 0; i < 4; ++i) CHECK(connector->open("in turn").has_value());
        to.hosts = {{"127.0.0.1", 1}, {"no-such-host.invalid", 5672}};
        const auto text = failure_of(to);
        CAPTURE(text);
        CHECK(text.starts_with("connection | "));
        CHECK(holds(text, "127.0.0.1:1: It cannot be reached: Connection refused"));
        CHECK(holds(text,
                    "no-such-host.invalid:5672: It cannot be reached: the name has no address"));
    }

    TEST_CASE("a wait ends when another thread wakes it, before or while it waits") {
        auto wire = opened();
        witness seen;
        wire->wake();
        wire->wake();
        const auto began = std::chrono::steady_clock::now();
        wire->wait(20s);
        std::jthread waker{[&] { wire->wake(); }};
        wire->wait(20s);
        CHECK(std::chrono::steady_clock::now() - began < 10s);
        CHECK(wire->read(seen).has_value());
    }

    TEST_CASE("heartbeats keep an idle connection alive, and count as read") {
        auto to = settings(environment("WAYBILL_RABBITMQ"));
        to.heartbeat = 1s;
        auto wire = rabbitmq::make_connector(to)->open("heartbeats");
        REQUIRE(wire.has_value());
        witness seen;
        const auto end = std::chrono::steady_clock::now() + 5s;
        int beats = 0;
        while (std::chrono::steady_clock::now() < end) {
            (*wire)->wait(end - std::chrono::steady_clock::now());
            const auto some = (*wire)->read(seen);
            REQUIRE(some.has_value());
            beats += *some ? 1 : 0;
        }
        CHECK(beats >= 3);
        CHECK((*wire)->open_channel(1).has_value());
    }
}

TEST_SUITE("live: TLS") {
    std::string authority() {
        return "?cacertfile=" + environment("WAYBILL_RABBITMQ_CERTIFICATES") + "/ca.crt";
    }
    std::string client(const std::string& name) {
        const auto folder = environment("WAYBILL_RABBITMQ_CERTIFICATES");
        return "&certfile=" + folder + "/" + name + ".crt&keyfile=" + folder + "/" + name + ".key";
    }

    TEST_CASE("a certificate of a known authority with the right name is trusted") {
        auto wire = opened(environment("WAYBILL_RABBITMQ_TLS") + authority());
        witness seen;
        REQUIRE(wire->open_channel(1).has_value());
        REQUIRE(wire->select_confirms(1).has_value());
        REQUIRE(wire->declare(1, own("tls"), false).has_value());
        REQUIRE(wire->consume(1, "tls", "c", false, {}).has_value());
        const std::string body(1'000'000, 'x');
        for (int i = 0; i < 20; ++i)
            REQUIRE(wire->publish(1, {"", "tls", {}, as_bytes(body), true}).has_value());
        until(*wire, seen, [&] {
            return seen.messages.size() == 20 && seen.messages.back().whole && seen.settled == 20;
        });
        for (const auto& one : seen.messages) CHECK(one.body == body);
        wire->close();
    }

    TEST_CASE("a certificate that nobody vouches for is refused for good") {
        const auto text = failure_of(settings(environment("WAYBILL_RABBITMQ_TLS")));
        CAPTURE(text);
        CHECK(text.starts_with("refused | "));
        CHECK(holds(text, "The certificate of the server is not trusted: "));
    }

    TEST_CASE("a certificate of another name is refused, unless the name is not asked for") {
        const auto url = environment("WAYBILL_RABBITMQ_TLS_OF_ANOTHER") + authority();
        const auto text = failure_of(settings(url));
        CAPTURE(text);
        CHECK(text.starts_with("refused | "));
        CHECK(holds(text, "IP address mismatch"));
        opened(url + "&server_name_indication=disable")->close();
        opened(environment("WAYBILL_RABBITMQ_TLS_OF_ANOTHER") + "?verify=verify_none")->close();
    }

    TEST_CASE("the certificate of the client logs in by EXTERNAL") {
        auto wire = opened(environment("WAYBILL_RABBITMQ_EXTERNAL") + authority() +
                           client("client") + "&auth_mechanism=external");
        CHECK(wire->open_channel(1).has_value());
        wire->close();
    }

    TEST_CASE("a server that demands a certificate takes a known one and no other") {
        const auto url = environment("WAYBILL_RABBITMQ_DEMANDING_TLS");
        const auto folder = environment("WAYBILL_RABBITMQ_DEMANDING_CERTIFICATES");
        const auto with = [&](const std::string& name) {
            return url + "?cacertfile=" + folder + "/ca.crt" +
                   (name.empty() ? ""
                                 : "&certfile=" + folder + "/" + name + ".crt&keyfile=" + folder +
                                       "/" + name + ".key");
        };
        opened(with("client"))->close();
        for (const std::string name : {"", "stranger"}) {
            const auto text = failure_of(settings(with(name)));
            CAPTURE(text);
            CHECK(text.starts_with("refused | "));
        }
    }

    TEST_CASE("a file that cannot be read is named") {
        const auto text =
            failure_of(settings(environment("WAYBILL_RABBITMQ_TLS") + "?cacertfile=/no/such.pem"));
        CAPTURE(text);
        CHECK(text.starts_with("refused | "));
        CHECK(holds(text, "/no/such.pem"));
    }

    TEST_CASE("a port without TLS is no TLS port") {
        auto to = settings(environment("WAYBILL_RABBITMQ"));
        to.tls.on = true;
        const auto text = failure_of(to);
        CAPTURE(text);
        CHECK(holds(text, "TLS was not agreed upon"));
    }
}
