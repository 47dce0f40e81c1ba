#include "transport/memory/pattern.hpp"

#include <doctest/doctest.h>

#include <string>

namespace pattern_test {

using waybill::memory::address_problem;
using waybill::memory::matches;
using waybill::memory::source_problem;

TEST_CASE("a name without wildcards matches itself and nothing else") {
    CHECK(matches("orders.eu", "orders.eu"));
    CHECK_FALSE(matches("orders.eu", "orders"));
    CHECK_FALSE(matches("orders", "orders.eu"));
    CHECK_FALSE(matches("orders.eu", "Orders.eu"));
    CHECK_FALSE(matches("orders.eu", "orders.eu.new"));
}

TEST_CASE("a star stands for exactly one word") {
    CHECK(matches("orders.*", "orders.eu"));
    CHECK(matches("*", "orders"));
    CHECK(matches("*.*", "orders.eu"));
    CHECK(matches("*.eu", "orders.eu"));
    CHECK(matches("a.*.c", "a.b.c"));
    CHECK_FALSE(matches("orders.*", "orders"));
    CHECK_FALSE(matches("orders.*", "orders.eu.new"));
    CHECK_FALSE(matches("*", "orders.eu"));
}

TEST_CASE("a greater-than sign stands for one word or more") {
    CHECK(matches("orders.>", "orders.eu"));
    CHECK(matches("orders.>", "orders.eu.new"));
    CHECK(matches(">", "orders"));
    CHECK(matches(">", "orders.eu"));
    CHECK(matches("*.>", "orders.eu"));
    CHECK_FALSE(matches("orders.>", "orders"));
    CHECK_FALSE(matches("orders.>", "order.eu"));
    CHECK_FALSE(matches("*.>", "orders"));
}

TEST_CASE("nothing is published to a pattern or to a name that is none") {
    CHECK(address_problem("orders.eu").empty());
    CHECK(address_problem("退款").empty());
    CHECK(address_problem("with space").empty());
    CHECK(address_problem(std::string(1024, 'x')).empty());
    for (const std::string name : {"", ".", "a.", ".a", "a..b", "a.*", ">", "a*", "a\nb"}) {
        CAPTURE(name);
        CHECK_FALSE(address_problem(name).empty());
    }
    CHECK_FALSE(address_problem(std::string_view{"a\0b", 3}).empty());
    CHECK_FALSE(address_problem(std::string(1025, 'x')).empty());
}

TEST_CASE("a source may be a pattern, with wildcards as whole words and > at the end") {
    for (const std::string name : {"a", "a.b", "*", ">", "*.b", "a.*.c", "a.>", "*.>"}) {
        CAPTURE(name);
        CHECK(source_problem(name).empty());
    }
    for (const std::string name : {"", "a*", "*a", "a.b*", ">a", "a.>.b", ">.b", "a..b", "**"}) {
        CAPTURE(name);
        CHECK_FALSE(source_problem(name).empty());
    }
}

}  // namespace pattern_test
