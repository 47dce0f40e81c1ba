#include "transport/rabbitmq/settings.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using waybill::rabbitmq::connection_settings;
using waybill::rabbitmq::login;
using waybill::rabbitmq::parse_url;
using namespace std::chrono_literals;

connection_settings read(std::string_view url) {
    auto parsed = parse_url(url);
    REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().front().message()));
    return *parsed;
}

std::string mistakes(std::string_view url) {
    const auto parsed = parse_url(url);
    REQUIRE_FALSE(parsed.has_value());
    std::string all;
    for (const auto& one : parsed.error()) {
        CHECK(one.code == waybill::errc::wiring);
        CHECK_FALSE(one.what.empty());
        CHECK_FALSE(one.fix.empty());
        all += one.message() + "\n";
    }
    return all;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_SUITE("the URL of a RabbitMQ") {
    TEST_CASE("the shortest one says the rest by default") {
        const auto to = read("amqp://broker");
        REQUIRE(to.hosts.size() == 1);
        CHECK(to.hosts[0].host == "broker");
        CHECK(to.hosts[0].port == 5672);
        CHECK(to.user == "guest");
        CHECK(to.password == "guest");
        CHECK(to.vhost == "/");
        CHECK_FALSE(to.tls.on);
        CHECK(to.heartbeat == 30s);
        CHECK(to.describe() == "amqp://broker:5672/%2F");
    }

    TEST_CASE("everything is percent-encoded") {
        const auto to = read("amqp://us%65r:p%40ss%2F%3A%3F%25@h%2Ei:1234/a%2Fb%20c");
        CHECK(to.user == "user");
        CHECK(to.password == "p@ss/:?%");
        CHECK(to.hosts[0].host == "h.i");
        CHECK(to.hosts[0].port == 1234);
        CHECK(to.vhost == "a/b c");
        CHECK(to.describe() == "amqp://h.i:1234/a%2Fb%20c");
    }

    TEST_CASE("no path is the virtual host /, an empty one the empty name") {
        CHECK(read("amqp://h").vhost == "/");
        CHECK(read("amqp://h/").vhost.empty());
        CHECK(read("amqp://h/%2f").vhost == "/");
        CHECK(read("amqp://h?heartbeat=1").vhost == "/");
    }

    TEST_CASE("a user without a password has the empty one") {
        CHECK(read("amqp://user@h").password.empty());
        CHECK(read("amqp://user:@h").password.empty());
    }

    TEST_CASE("hosts are a list, IPv6 addresses in brackets") {
        const auto to = read("amqps://u:p@one,[::1]:99,three:7/v");
        REQUIRE(to.hosts.size() == 3);
        CHECK(to.hosts[0].port == 5671);
        CHECK(to.hosts[1].host == "::1");
        CHECK(to.hosts[1].port == 99);
        CHECK(to.describe() == "amqps://one:5671,[::1]:99,three:7/v");
        CHECK(read("amqp://[fe80::1%25eth0]").hosts[0].host == "fe80::1%eth0");
        CHECK(read("amqp://[::ffff:127.0.0.1]").hosts[0].host == "::ffff:127.0.0.1");
        CHECK(read("amqp://my_host-1.example").hosts[0].host == "my_host-1.example");
    }

    TEST_CASE("the options") {
        const auto to = read(
            "amqps://h/v?heartbeat=0&connection_timeout=250&channel_max=5&frame_max=4096"
            "&auth_mechanism=external&cacertfile=a%26b.pem&certfile=c.pem&keyfile=k.pem"
            "&verify=verify_peer&server_name_indication=disable");
        CHECK(to.heartbeat == 0s);
        CHECK(to.connection_timeout == 250ms);
        CHECK(to.channel_max == 5);
        CHECK(to.frame_max == 4096);
        CHECK(to.by == login::external);
        CHECK(to.tls.ca_file == "a&b.pem");
        CHECK(to.tls.certificate_file == "c.pem");
        CHECK(to.tls.key_file == "k.pem");
        CHECK(to.tls.verifies_certificate);
        CHECK_FALSE(to.tls.verifies_host_name);
        CHECK_FALSE(read("amqps://h?verify=verify_none").tls.verifies_certificate);
    }

    TEST_CASE("all mistakes are told at once") {
        const auto text =
            mistakes("amqp://:p@,h:0/a/b?heartbeat=x&frame_max=1&nonsense=1&certfile=f");
        CAPTURE(text);
        CHECK(std::ranges::count(text, '\n') >= 7);
        CHECK(holds(text, "no user before it"));
        CHECK(holds(text, "A host has no name"));
        CHECK(holds(text, "A port is no number from 1 to 65535"));
        CHECK(holds(text, "holds a '/' that is not encoded"));
        CHECK(holds(text, "heartbeat is no whole number from 0 to 65535"));
        CHECK(holds(text, "frame_max is no whole number from 4096"));
        CHECK(holds(text, "an option that there is not"));
        CHECK(holds(text, "certfile is for amqps"));
    }

    TEST_CASE("an option that was probably meant is named, and what was given is not") {
        const auto text = mistakes("amqp://h?hearbeat=10");
        CAPTURE(text);
        CHECK(holds(text, "Did you mean heartbeat?"));
        CHECK_FALSE(holds(text, "hearbeat"));
        CHECK_FALSE(holds(mistakes("amqp://h?secret=10"), "Did you mean"));
    }

    TEST_CASE("the server in memory reads it as a client does") {
        using waybill::rabbitmq::fake_server;
        const auto* const url = "amqp://user:p%40ss@url-test.invalid:7,other.invalid/?heartbeat=1";
        const fake_server server{url};
        auto to = read(url);
        const auto client = waybill::rabbitmq::the_stand_in().load()(to, nullptr, false);
        REQUIRE(client != nullptr);
        const auto opened = client->open("client");
        REQUIRE(opened.has_value());
        REQUIRE((*opened)->open_channel(1));
        REQUIRE((*opened)->declare(1, {"here", true, false, false, {}}, false));
        CHECK(server.exists("here"));
        CHECK_THROWS_WITH_AS(fake_server{"amqp://url-test.invalid:0"},
                             doctest::Contains("A port is no number from 1 to 65535"),
                             std::invalid_argument);
    }

    TEST_CASE("another scheme is a mistake of its own") {
        CHECK(holds(mistakes("http://h"), "neither amqp:// nor amqps://"));
        CHECK(holds(mistakes(""), "neither amqp:// nor amqps://"));
    }

    TEST_CASE("what belongs together is given together") {
        CHECK(holds(mistakes("amqps://h?certfile=f"), "without the other"));
        CHECK(holds(mistakes("amqp://h?auth_mechanism=external"), "takes amqps"));
        CHECK(holds(mistakes("amqps://h?verify=maybe"), "verify_none"));
        CHECK(holds(mistakes("amqps://h?cacertfile="), "names no file"));
        CHECK(holds(mistakes("amqp://h?auth_mechanism=gssapi"), "neither plain nor external"));
    }

    TEST_CASE("no text holds the password, encoded or not, nor a part of it") {
        const std::vector<std::string> urls{
            "amqp://user:Kp7wQ@h:x", "amqp://user:Kp7@wQz9@h", "amqp://user:Kp7/wQz9@h",
            "amqp://user:Kp7:wQz9@h", "amqp://user:Kp7?wQz9@h", "amqp://user:Kp7%wQz9@h",
            "amqp://user:Kp7%00wQz9@h", "amqp://user:Kp7wQz9", "amqp:/user:Kp7wQz9@h",
            "amqp://user:Kp7?wQz9=1&Zt=@h", "amqp://user:Kp7#wQz9@h:0", "amqp://user:Kp7,wQz9@[h",
            "user:Kp7wQz9@h", "amqp://user:Kp7?heartbeat=wQz9@h",
            // What stands between the parts is encoded, too.
            "amqp://user%3AKp7wQz9%40h:5672/v", "amqp://user%3AKp7wQz9%40h/v",
            "amqp://user%3AKp7wQz9%40h%3A5672%2Fv", "amqp://user%253AKp7wQz9%2540h:5672/v",
            "amqp://user%3AKp7,wQz9%40h:5672/v", "amqp://Kp7wQz9%2Fh", "amqp://Kp7wQz9%0Ah",
            "amqp://[user%3AKp7wQz9%40h]:5672/v", "amqp://[::1%25Kp7wQz9%40h]",
            "amqp://user%3AKp7wQz9@h:5672/v"};
        for (const auto& url : urls) {
            CAPTURE(url);
            const auto text = mistakes(url);
            CHECK_FALSE(holds(text, "Kp7"));
            CHECK_FALSE(holds(text, "wQ"));
            CHECK_FALSE(holds(text, "Zt"));
        }
        CHECK_FALSE(holds(read("amqp://user:Kp7wQz9@h").describe(), "user"));
        CHECK_FALSE(holds(read("amqp://user:Kp7wQz9@h").describe(), "Kp7"));
    }
}
