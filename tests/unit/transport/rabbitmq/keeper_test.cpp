// When a connection that fell is opened again.
#include "rabbitmq_shop.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace mq_keeper_test {

using namespace std::chrono_literals;
using support::rabbitmq_kinds;
using support::rabbitmq_shop;

struct rig : rabbitmq_shop {
    rig() : rabbitmq_shop{rabbitmq_kinds[0], [](auto&) { return waybill::ack(); }, 3} {
        tb.advance(1min);
    }
    [[nodiscard]] bool is_connected() const { return server.connections().size() == 2; }
    /// How long it is away after a fall, to the millisecond.
    std::chrono::milliseconds away() {
        server.drop_connections();
        tb.rest();
        auto passed = 0ms;
        for (; !is_connected() && passed < 1min; ++passed) tb.advance(1ms);
        return passed;
    }
};

TEST_CASE(
    "a connection that stood is opened again at once, and one that falls at once does not spin") {
    rig at;
    for (int round = 0; round < 2; ++round) {
        CHECK(at.away() == 0ms);
        for (const auto pause : {100ms, 200ms, 400ms}) {
            at.tb.advance(9s);
            CHECK(at.away() == pause);
        }
        at.tb.advance(10s);
    }
    for (int fall = 0; fall < 12; ++fall) at.away();
    CHECK(at.away() == 30s);
    CHECK(at.server.publish("orders", "a") == 1);
    at.tb.rest();
    CHECK(at.tb.calls("charge") == 1);
}

TEST_CASE("a server that takes no connections is asked with growing pauses") {
    rig at;
    at.server.refuse_connections(true);
    at.server.drop_connections();
    at.tb.rest();
    at.tb.advance(1s);
    CHECK_FALSE(at.is_connected());
    at.server.refuse_connections(false);
    at.tb.advance(1s);
    CHECK(at.is_connected());
}

}  // namespace mq_keeper_test
