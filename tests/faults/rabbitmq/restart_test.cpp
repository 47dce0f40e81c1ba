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
        [&] { return settle_accounts(acked(service, 2), story_messages).lost == 0; }, 100s));
    CHECK(service.stop() == 0);
    client = std::make_unique<live::plain_client>();
    auto all = acked(service, 2);
    for (const auto& [payload, times] : standing(client->drain(queue))) all[payload] += times;
    MESSAGE(how << ", " << type << ": " << in_words(all, story_messages));
    CHECK_MESSAGE(settle_accounts(all, story_messages).lost == 0, service.log());
    CHECK(live::log_since(began).find("unknown delivery tag") == std::string::npos);
}

/// 3.10 runs in every test run, with a queue of one type.
bool is_thorough() { return live::server_version().major >= 4; }

}  // namespace

TEST_CASE("an orderly restart of the server in the midst loses nothing") {
    // A classic waiting queue hands on at most once: what came due while the server started was lost
    // on 4.0.5 (docs/rabbitmq.md says so).
    server_goes("quorum", "restart", 0s);
}

TEST_CASE("a kill of the server loses nothing that was declared before") {
    server_goes("classic", "kill", 10s);
    if (is_thorough()) server_goes("quorum", "kill", 10s);
}
