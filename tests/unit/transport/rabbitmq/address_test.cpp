#include "transport/rabbitmq/address.hpp"

#include <waybill/rabbitmq.hpp>

#include <doctest/doctest.h>

#include <string>

namespace address_test {

using waybill::rabbitmq::read_address;
using waybill::rabbitmq::target;
using waybill::rabbitmq::write_address;

TEST_CASE("a name is a queue's") {
    CHECK(*read_address("orders") == target{"", "orders"});
    CHECK(*read_address("orders/eu %41") == target{"", "orders/eu %41"});
}

TEST_CASE("an exchange with a key is written as the server writes it") {
    CHECK(*read_address("/exchanges/events/order.new") == target{"events", "order.new"});
    CHECK(*read_address("/exchanges/events") == target{"events", ""});
    CHECK(*read_address("/exchanges/a%2Fb/c%20d%25") == target{"a/b", "c d%"});
    CHECK(*read_address("/queues/%2Forders") == target{"", "/orders"});
}

TEST_CASE("every name comes back as it was") {
    for (const std::string exchange : {"", "events", "a/b", "%", "ключ", "a b?#"}) {
        for (const std::string key : {"orders", "/orders", "/exchanges/x", "a.*.#", "%2F"}) {
            const auto text = write_address(exchange, key);
            CAPTURE(text);
            CHECK(*read_address(text) == target{exchange, key});
        }
    }
    CHECK(waybill::rabbitmq::exchange_key("events", "a/b") == "/exchanges/events/a%2Fb");
}

TEST_CASE("what is no address says why") {
    for (const std::string wrong :
         {"", "/", "/orders", "/exchanges/", "/exchanges//key", "/exchanges/a/%4",
          "/exchanges/a/%zz", "/queues/a/b", "/queues/"}) {
        CAPTURE(wrong);
        const auto read = read_address(wrong);
        REQUIRE_FALSE(read);
        CHECK_FALSE(read.error().empty());
    }
    CHECK_FALSE(read_address(std::string(256, 'q')));
    CHECK(read_address(std::string(255, 'q')));
}

}  // namespace address_test
