#include "refunds.hpp"

#include <waybill/testing.hpp>

#include <doctest/doctest.h>

TEST_CASE("a refund is tried again after half a minute") {
    waybill::test_app tb{make_app()};
    tb.publish("refunds", refund{.id = 7, .card = "4000 0000 0000 0002", .cents = 1250});
    tb.advance(29s);
    CHECK(tb.calls(process_refund) == 1);
    tb.advance(1s);
    CHECK(tb.outcomes(process_refund) == std::vector{waybill::retry_after(30s), waybill::ack()});
    CHECK(tb.published("refunds.dead") == 0);
}
