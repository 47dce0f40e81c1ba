#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

namespace {

void bill(std::span<const std::byte>) {}
void ship(std::span<const std::byte>) {}

}  // namespace

TEST_CASE("two handlers of one app that fan out the same source get a copy each") {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::fan_out("orders"), bill).name("bill");
    broker.subscribe(waybill::memory::fan_out("orders"), ship).name("ship");
    waybill::test_app tb{std::move(app)};
    for (int number = 0; number < 3; ++number) tb.publish_raw("orders", "an order");
    CHECK(tb.calls(bill) == 3);
    CHECK(tb.calls(ship) == 3);
}
