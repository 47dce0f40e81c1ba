#include "service.hpp"

#include "scripted_gateway.hpp"
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

TEST_CASE("an order that the provider accepts is paid") {
    waybill::test_app tb{payments::make_app(std::make_shared<payments::scripted_gateway>())};
    tb.publish(payments::payment_request{1001, "customer-0001", {}});
    CHECK(tb.calls(payments::charge) == 1);
    CHECK(tb.published("payments.paid") == 1);
}
