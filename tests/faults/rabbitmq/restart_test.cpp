/// The server is restarted in order, and killed, while a service works.
#include "faults/rabbitmq/rig.hpp"
#include "live/rig/server.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

using namespace faults::test;
using namespace std::chrono_literals;

namespace {

/// A waiting queue whose leader is elected before the server has read its exchanges hands on only
/// after the server's dead_letter_worker_publisher_confirm_timeout: 180 s unless it is configured,
/// and the tests' servers have 10 s.
constexpr auto to_hand_on = 100s;

/// Each message is tried twice; the server goes when some have been. `since_declared`: so long ago.
void server_goes(const std::string& type, const std::string& how,
                 std::chrono::seconds since_declared) {
    const std::string queue = "faults.restart";
    auto client = std::make_unique<live::plain_client>();
    begin_story(*client, queue);
    service_process service{{queue, type, "wait", 5}};
    REQUIRE(service.start(live::server_port()));
    // The waiting queue is declared by the first wait.
    client->publish("", queue, "first");
    client->confirm();
    REQUIRE(live::eventually([&] { return acked(service, 2).contains("first"); }));
    std::this_thread::sleep_for(since_declared);
    const auto began = live::log_size();
    client->fill(queue, story_messages);
    REQUIRE(live::eventually([&] { return service.runs().size() > 60; }));
    if (how == "kill") live::control("kill");
    live::control("restart");
    CHECK(live::eventually(
        [&] { return settle_accounts(acked(service, 2), story_messages).lost == 0; }, to_hand_on));
    CHECK(service.stop() == 0);
    client = std::make_unique<live::plain_client>();
    auto all = acked(service, 2);
    for (const auto& [payload, times] : standing(client->drain(queue))) all[payload] += times;
    MESSAGE(how << ", " << type << ": " << in_words(all, story_messages));
    CHECK_MESSAGE(settle_accounts(all, story_messages).lost == 0, service.log());
    CHECK(live::log_since(began).find("unknown delivery tag") == std::string::npos);
}

/// What has waited is back in its queue, nobody has taken it, and the server is killed.
void server_goes_after_waits(const std::string& type) {
    const std::string queue = "faults.came_back";
    auto client = std::make_unique<live::plain_client>();
    begin_story(*client, queue);
    service_process service{{queue, type, "linger", 5}};
    REQUIRE(service.start(live::server_port()));
    client->publish("", queue, "first");
    client->confirm();
    REQUIRE(live::eventually([&] { return acked(service, 1).contains("first"); }));
    std::this_thread::sleep_for(10s);  // the server itself forgets younger queues
    client->fill(queue, story_messages);
    REQUIRE(live::eventually([&] { return service.runs().size() > story_messages; }));
    CHECK(service.stop() == 0);
    REQUIRE(live::eventually([&] { return client->ready(queue) >= story_messages; }));
    live::control("kill");
    live::control("restart");
    client = std::make_unique<live::plain_client>();
    // What the queue had not confirmed yet waits again, or is handed on again by and by.
    ends all;
    const auto nothing_is_lost = [&] {
        for (const auto& [payload, times] : standing(client->drain(queue))) all[payload] += times;
        return settle_accounts(all, story_messages).lost == 0;
    };
    CHECK(live::eventually(nothing_is_lost, 60s));
    MESSAGE("kill after the waits, " << type << ": " << in_words(all, story_messages));
}

/// 3.10 runs in every test run, with a queue of one type.
bool is_thorough() { return live::server_version().major >= 4; }

}  // namespace

TEST_CASE("an orderly restart of the server in the midst loses nothing") {
    // 3.10 to 4.0 lose some of what a classic waiting queue hands on meanwhile: it must not be one.
    server_goes("classic", "restart", 0s);
    if (is_thorough()) server_goes("quorum", "restart", 0s);
}

TEST_CASE("a kill of the server loses nothing that was declared before") {
    server_goes("classic", "kill", 10s);
    if (is_thorough()) server_goes("quorum", "kill", 10s);
}

TEST_CASE("a kill of the server loses nothing that has waited and is back") {
    server_goes_after_waits("classic");
    if (is_thorough()) server_goes_after_waits("quorum");
}
