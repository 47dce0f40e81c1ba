#include "scenario/live/line_socket.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

using namespace std::chrono_literals;
using waybill::scenario::line_socket;
namespace json = waybill::scenario::json;

namespace {

struct two_ends {
    two_ends() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        here = std::make_unique<line_socket>(ends[0]);
        there = std::make_unique<line_socket>(ends[1]);
    }
    std::unique_ptr<line_socket> here;
    std::unique_ptr<line_socket> there;
};

}  // namespace

TEST_CASE("lines arrive one by one, in their order") {
    const two_ends ends;
    CHECK(ends.here->send(json::object{{"a", 1}}));
    CHECK(ends.here->send(json::object{{"b", "two\nlines"}}));
    CHECK(ends.there->receive(1s) == json::value{json::object{{"a", 1}}});
    CHECK(ends.there->receive(1s) == json::value{json::object{{"b", "two\nlines"}}});
    CHECK_FALSE(ends.there->receive(0ms));
    CHECK_FALSE(ends.there->is_over());
}

TEST_CASE("what was sent before the other end went is received, and then it is over") {
    two_ends ends;
    CHECK(ends.here->send(json::object{{"a", 1}}));
    ends.here.reset();
    CHECK(ends.there->receive(1s) == json::value{json::object{{"a", 1}}});
    CHECK_FALSE(ends.there->receive(1s));
    CHECK(ends.there->is_over());
    CHECK_FALSE(ends.there->send(json::object{{"a", 1}}));
}
