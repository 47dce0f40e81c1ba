// SIGTERM and SIGINT: one asks for a stop, a second one hurries it.
#include "support/child.hpp"
#include "support/tally.hpp"
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

using namespace std::chrono_literals;

namespace signals {

using waybill::test::child;
using waybill::test::gate;
using waybill::test::tally;

void ends_well_on(int signal, const std::string& name) {
    child service{"hello", {"run"}};
    REQUIRE(service.says("state=running"));
    service.send(signal);
    CHECK(service.wait() == 0);
    CHECK(service.said().find("stop_requested by=" + name) != std::string::npos);
    CHECK(service.said().find("in_time=true") != std::string::npos);
    CHECK(service.said().find("state=stopped") != std::string::npos);
}

TEST_CASE("a service ends with exit code 0 on SIGTERM") { ends_well_on(SIGTERM, "SIGTERM"); }
TEST_CASE("a service ends with exit code 0 on SIGINT") { ends_well_on(SIGINT, "SIGINT"); }

TEST_CASE("the verb run is the default, and its options hold") {
    child service{"hello", {"--log-format", "json"}};
    REQUIRE(service.says(R"("state":"running")"));
    service.send(SIGTERM);
    CHECK(service.wait() == 0);
}

TEST_CASE("a second signal ends the stop that a handler holds up, and the run says so") {
    const waybill::memory::server server;
    tally stopping;
    gate released;
    waybill::app app{"shop", "1"};
    app.stop_limit(24h);
    app.log_to([&](std::string_view line) {
        if (line.find("state=stopping") != line.npos) stopping.add();
    });
    // The handler's thread blocks both signals as `run` does, so that only `run` sees them.
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [&](std::span<const std::byte>) {
            ::kill(::getpid(), SIGINT);
            CHECK(stopping.reaches(1));
            ::kill(::getpid(), SIGINT);
            released.wait();
        });
    REQUIRE(server.publish("orders", "x"));
    CHECK(app.run() == 1);
    CHECK(app.health().state == waybill::health_state::stopped);
    CHECK(app.health().reason.find("still running") != std::string::npos);
    CHECK(server.queued("orders") == 1);
}

TEST_CASE("a signal that comes again while the stop ends well changes nothing") {
    waybill::app app{"shop", "1"};
    app.log_to([](std::string_view line) {
        if (line.find("state=stopping") == line.npos) return;
        ::kill(::getpid(), SIGTERM);
    });
    app.request_stop();
    CHECK(app.run() == 0);
}

}  // namespace signals
