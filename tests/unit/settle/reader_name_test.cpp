#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

using namespace std::chrono_literals;

namespace {

waybill::outcome always_later(std::span<const std::byte>) { return waybill::retry_after(1s); }

}  // namespace

TEST_CASE("a copy belongs to its reader whatever the length of the reader's name") {
    for (const std::string name : {"q", "orders", "payments.requested.by.customers.of.the.shop"}) {
        CAPTURE(name);
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{waybill::memory::options{
                       .counts = waybill::memory::counting::none, .delays = false}})
            .subscribe(waybill::memory::queue(name), always_later)
            .max_attempts(3)
            .dead_letter("dead");
        waybill::test_app tb{std::move(app)};
        tb.publish_raw(name, "x");
        tb.advance(1s);
        CHECK(tb.calls(always_later) == 2);
        CHECK(tb.calls(always_later)[1].with.text("waybill-retry-source") == name);
        tb.advance(1s);
        CHECK(tb.calls(always_later) == 3);
        CHECK(tb.published("dead")[0].with.text("waybill-dead-reason") == "attempts");
    }
}
