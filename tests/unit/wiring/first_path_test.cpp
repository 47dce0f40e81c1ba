#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

using namespace std::chrono_literals;

namespace first_path {

struct order {
    std::uint64_t id;
    std::uint64_t cents;
};

waybill::outcome charge(const order& o, waybill::attempt n) {
    if (o.cents == 0) return waybill::drop();
    if (o.cents == 1) return waybill::retry();
    if (n == 1) return waybill::retry_after(30s);
    return waybill::ack();
}

waybill::app make_app() {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("orders"), charge)
        .max_attempts(5)
        .dead_letter("orders.dead");
    return app;
}

TEST_CASE("a delivery is retried after its delay and then acked") {
    waybill::test_app tb{make_app()};
    tb.publish("orders", order{7, 100});
    CHECK(tb.calls(charge) == 1);
    tb.advance(29s);
    CHECK(tb.calls(charge) == 1);
    tb.advance(1s);
    CHECK(tb.calls(charge) == 2);
    CHECK(tb.outcomes(charge) == std::vector{waybill::retry_after(30s), waybill::ack()});
}

TEST_CASE("a message whose attempts are spent goes to the dead letter as it arrived") {
    waybill::test_app tb{make_app()};
    tb.publish("orders", order{7, 1}, {{"trace", "abc"}});
    CHECK(tb.calls(charge) == 5);
    REQUIRE(tb.published("orders.dead") == 1);
    const auto dead = tb.published("orders.dead")[0];
    CHECK(dead.text() == R"({"id":7,"cents":1})");
    CHECK(dead.with.text("trace") == "abc");
    CHECK(dead.with.text("waybill-retry-count") == "5");
    CHECK(dead.with.text("waybill-dead-reason") == "attempts");
}

}  // namespace first_path
