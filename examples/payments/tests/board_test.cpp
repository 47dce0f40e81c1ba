#include "demo/board.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using demo::board;
using demo::ending;
using payments::answer;

namespace {

std::vector<demo::request_line> two_lines() {
    std::vector<demo::request_line> lines(2);
    lines[0].number = 3;
    lines[0].request = payments::payment_request{7, "harbour-books", {}};
    lines[1].number = 5;
    lines[1].request = payments::payment_request{7, "harbour-books", {}};
    return lines;
}

demo::handled said(std::size_t line, answer what, waybill::outcome answered) {
    return {line, 7, what, answered, answered == waybill::ack(), 1s};
}

demo::dead_arrived dead(std::size_t line, std::string_view reason) {
    return {line, waybill::headers{{"waybill-dead-reason", reason}}, {}, 2s};
}

}  // namespace

TEST_CASE("a message is charged when its paid arrives, not when the handler says so") {
    const auto lines = two_lines();
    board on{lines};
    on.published(0, 0s);
    on.apply(said(3, answer::ok, waybill::ack()));
    CHECK(on.count().text() == "1 in = 0 charged + 0 declined + 0 dead + 0 undecodable, lost 1");
    on.apply(demo::paid_arrived{7, 1s});
    CHECK(on.count().text() == "1 in = 1 charged + 0 declined + 0 dead + 0 undecodable, lost 0");
    CHECK(on.count().balances());
    CHECK(on.at(0).ended == 1s);
    CHECK(on.take_ended() == std::vector<std::size_t>{0});
    CHECK(on.take_ended().empty());
}

TEST_CASE("messages of one order number are told apart") {
    const auto lines = two_lines();
    board on{lines};
    on.published(0, 0s);
    on.published(1, 0s);
    on.apply(said(3, answer::busy, waybill::retry_after(1s)));
    on.apply(said(5, answer::ok, waybill::ack()));
    on.apply(demo::paid_arrived{7, 1s});
    CHECK(on.at(0).end == ending::none);
    CHECK(on.at(1).end == ending::charged);
    on.apply(said(3, answer::declined, waybill::drop()));
    CHECK(on.at(0).end == ending::declined);
    CHECK(on.at(0).deliveries == 2);
    CHECK(on.count().balances());
}

TEST_CASE("dead letters end a message by their reason") {
    const auto lines = two_lines();
    board on{lines};
    on.published(0, 0s);
    on.published(1, 0s);
    on.apply(dead(3, "decode"));
    on.apply(said(5, answer::unavailable, waybill::retry()));
    on.apply(dead(5, "attempts"));
    CHECK(on.at(0).end == ending::undecodable);
    CHECK(on.at(0).deliveries == 1);
    CHECK(on.at(1).end == ending::dead);
    CHECK(on.count().text() == "2 in = 0 charged + 0 declined + 1 dead + 1 undecodable, lost 0");
    REQUIRE(on.dead_letter());
    CHECK(on.dead_letter()->line == 5);
}

TEST_CASE("what is still in the broker is not lost") {
    const auto lines = two_lines();
    board on{lines};
    on.published(0, 0s);
    on.published(1, 0s);
    CHECK(on.count(2).text() ==
          "2 in = 0 charged + 0 declined + 0 dead + 0 undecodable + 2 waiting, lost 0");
    CHECK(on.count(2).balances());
    CHECK(on.count(1).lost == 1);
    CHECK_FALSE(on.count(1).balances());
    CHECK_FALSE(on.count(0).balances());
}

TEST_CASE("a second end, and an end of nothing, do not balance") {
    const auto lines = two_lines();
    board on{lines};
    on.published(0, 0s);
    on.apply(said(3, answer::ok, waybill::ack()));
    on.apply(demo::paid_arrived{7, 1s});
    SUBCASE("paid twice") { on.apply(demo::paid_arrived{7, 1s}); }
    SUBCASE("dead as well") { on.apply(dead(3, "attempts")); }
    SUBCASE("dropped as well") { on.apply(said(3, answer::declined, waybill::drop())); }
    SUBCASE("not published") { on.apply(dead(5, "attempts")); }
    SUBCASE("not known") { on.apply(dead(99, "attempts")); }
    CHECK(on.count().surplus == 1);
    CHECK_FALSE(on.count().balances());
    CHECK(on.count().text().ends_with("lost 0, 1 too many"));
}
