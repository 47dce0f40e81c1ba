// Every step of every story fails once, on memory servers that count: what is promised holds
// whatever goes wrong at whichever moment.
#include "support/memory_path.hpp"

#include <string>

namespace {

using support::check_every_step;
using support::memory_path;

TEST_CASE("every step may fail on a server that counts and delays") {
    check_every_step(memory_path("counting", {}));
}

TEST_CASE("every step may fail on a server that counts and does not delay") {
    check_every_step(memory_path("undelayed", {.delays = false}));
}

TEST_CASE("every step may fail near the limit of a server that counts") {
    check_every_step(memory_path("limited", {.delivery_limit = 4}));
}

TEST_CASE("a connection that is said to fall and does not is found out") {
    auto path = memory_path("lying", {});
    path.start = [start = path.start] {
        auto server = start();
        server.drop_connections = [] {};
        return server;
    };
    const auto report = support::every_step(path, "ack/lying/1/at_once/");
    CHECK(report.problems.find("message 1 was lost") != std::string::npos);
    CHECK(report.problems.find("ack/lying/1/at_once/1/stale\n") != std::string::npos);
}

}  // namespace
