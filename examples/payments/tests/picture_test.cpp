#include "demo/picture.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using demo::ending;
using payments::answer;

namespace {

std::string text_of(const demo::picture& drawn) {
    std::string text;
    for (const auto& each : drawn) text += each.text;
    return text;
}

/// The words of a row, one space between them.
std::string squeezed(const demo::picture& drawn) {
    std::string text;
    for (const char each : text_of(drawn)) {
        if (each != ' ' || !text.ends_with(' ')) text += each;
    }
    return text;
}

demo::row ended(ending how, std::vector<demo::step> steps, std::chrono::nanoseconds after) {
    demo::row made;
    made.line = 17;
    made.order = 1017;
    made.deliveries = std::max<std::size_t>(steps.size(), 1);
    made.steps = std::move(steps);
    made.end = how;
    made.ended = after;
    return made;
}

const demo::step busy{answer::busy, waybill::retry_after(1s), 0s};
const demo::step down{answer::unavailable, waybill::retry(), 0s};
const demo::step ok{answer::ok, waybill::ack(), 0s};
const demo::step declined{answer::declined, waybill::drop(), 0s};

}  // namespace

TEST_CASE("a row tells what happened to a message") {
    const demo::frame in;
    CHECK(squeezed(draw_row(ended(ending::charged, {busy, busy, ok}, 2s), in)) ==
          "#1017 busy 1 s busy 1 s charged 3 deliveries 2.0 s");
    CHECK(squeezed(draw_row(ended(ending::charged, {ok}, 1ms), in)) ==
          "#1017 charged 1 delivery 0.0 s");
    CHECK(squeezed(draw_row(ended(ending::declined, {down, declined}, 0s), in)) ==
          "#1017 unavailable declined 2 deliveries 0.0 s");
    CHECK(squeezed(draw_row(ended(ending::dead, {busy, busy, busy, busy, busy}, 4s), in)) ==
          "#1017 busy 1 s busy 1 s busy 1 s busy 1 s busy dead 5 deliveries 4.0 s");
    CHECK(squeezed(draw_row(ended(ending::dead, {down, down, down, down, down}, 0s), in)) ==
          "#1017 unavailable x5 dead 5 deliveries 0.0 s");
    auto unread = ended(ending::undecodable, {}, 0s);
    unread.order.reset();
    CHECK(squeezed(draw_row(unread, in)) == "#? undecodable (line 17) 1 delivery 0.0 s");
}

TEST_CASE("the columns of rows stand under each other") {
    demo::frame in;
    in.label = 21;
    auto longest = ended(ending::charged, {ok}, 0s);
    longest.order = 18446744073709551615U;
    const auto first = text_of(draw_row(longest, in));
    const auto second =
        text_of(draw_row(ended(ending::dead, {busy, down, busy, down, down}, 2s), in));
    CHECK(first.find(" delivery") == second.find(" deliveries"));
    CHECK(first.size() == second.size());
}

TEST_CASE("a row fits any width and keeps its end") {
    const auto row = ended(ending::dead, {busy, down, busy, down, down}, 2s);
    for (std::size_t columns = 1; columns < 120; ++columns) {
        demo::frame in;
        in.live = true;
        in.marks = &demo::fine_glyphs;
        in.columns = columns;
        const auto drawn = draw_row(row, in);
        CHECK(width_of(drawn) <= columns);
        if (columns >= 40) CHECK(text_of(drawn).find("dead") != std::string::npos);
    }
}

TEST_CASE("a wait moves while it lasts") {
    auto row = ended(ending::none, {busy}, 0s);
    demo::frame in;
    in.live = true;
    in.marks = &demo::fine_glyphs;
    in.columns = 80;
    in.now = 100ms;
    CHECK(text_of(draw_row(row, in)).find("busy ▱▱▱▱▱") != std::string::npos);
    in.now = 500ms;
    CHECK(text_of(draw_row(row, in)).find("busy ▰▰▰▱▱") != std::string::npos);
    in.now = 3s;
    CHECK(text_of(draw_row(row, in)).find("busy ▰▰▰▰▰") != std::string::npos);
}

TEST_CASE("a picture is cut between characters") {
    const demo::picture drawn{{"▰▰▰"}, {"▱▱"}};
    CHECK(text_of(cut(drawn, 5)) == "▰▰▰▱▱");
    CHECK(text_of(cut(drawn, 4)) == "▰▰▰…");
    CHECK(text_of(cut(drawn, 1)) == "…");
    CHECK(text_of(cut(drawn, 0)).empty());
}

TEST_CASE("the coloured ledger says what the plain one says") {
    demo::ledger sum{.in = 40, .charged = 29, .declined = 5, .dead = 5, .undecodable = 1};
    CHECK(sum.text() == "40 in = 29 charged + 5 declined + 5 dead + 1 undecodable, lost 0");
    CHECK(text_of(draw_ledger(sum)) == sum.text());
    sum.waiting = 3;
    sum.lost = 2;
    sum.surplus = 1;
    CHECK(text_of(draw_ledger(sum)) == sum.text());
}

TEST_CASE("the bar shows every end, however rare") {
    demo::frame in;
    in.columns = 30;
    const auto bar = draw_bar({.in = 10'001, .charged = 10'000, .undecodable = 1}, in);
    REQUIRE(bar.size() >= 2);
    CHECK(width_of(bar) <= 30);
    CHECK(width_of(draw_bar({}, in)) == 0);
}

TEST_CASE("durations are short") {
    CHECK(demo::in_words(1s) == "1 s");
    CHECK(demo::in_words(1500ms) == "1.5 s");
    CHECK(demo::in_words(250ms) == "250 ms");
}
