// Scenarios by chance: always the same, over the whole format, and all well.
#include "scenario/random.hpp"

#include "scenario/dice.hpp"
#include "scenario/read.hpp"
#include "scenario/runner.hpp"
#include "scenario/trial.hpp"
#include "scenario/write.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace waybill::scenario;

TEST_CASE("the dice are splitmix64") {
    dice known{0};
    CHECK_EQ(known.roll(), 0xe220a8397b1dcdafU);
    CHECK_EQ(known.roll(), 0x6e789e6aa1b965f4U);
    CHECK_EQ(known.roll(), 0x06c45d188009454fU);
}

TEST_CASE("the same seed makes the same scenario, and another run another") {
    const auto text = [](std::uint64_t seed, std::uint64_t run) {
        return json::to_text(write(make_up(seed, run, "memory")));
    };
    CHECK_EQ(text(3, 5), text(3, 5));
    CHECK_NE(text(3, 5), text(3, 6));
    CHECK_NE(text(3, 5), text(5, 3));
}

TEST_CASE("the same seed gives the same trace to the byte") {
    const auto trace_of = [](std::uint64_t run) {
        std::string text;
        (void)play(make_up(4, run, "memory"),
                   [&](const json::value& line) { text += json::to_text(line) + '\n'; });
        return text;
    };
    for (std::uint64_t run = 0; run < 30; ++run) {
        CAPTURE(run);
        CHECK(trace_of(run) == trace_of(run));
    }
}

TEST_CASE("nothing is wrong with what the product does in three hundred scenarios") {
    exercise tried;
    for (std::uint64_t run = 0; run < 300; ++run) {
        CAPTURE(run);
        const auto wrong = try_out(make_up(2, run, "memory"), tried);
        CHECK_EQ(wrong ? wrong->sentence : "nothing", "nothing");
    }
    CHECK_EQ(tried.runs, 300);
    // All that can happen did.
    for (const auto* const name : {"outcome ack",
                                   "outcome drop",
                                   "outcome retry",
                                   "outcome retry_after",
                                   "outcome dead_letter",
                                   "published reply",
                                   "published handler",
                                   "published retry",
                                   "published dead_letter",
                                   "step crash",
                                   "step restart",
                                   "step delete",
                                   "step drop_connection",
                                   "step fail_publishes",
                                   "step restart_broker",
                                   "accepted",
                                   "requeued",
                                   "released",
                                   "rejected",
                                   "stale",
                                   "exceeded",
                                   "stopped"}) {
        CAPTURE(name);
        CHECK_GT(tried.events[name], 0);
    }
}

TEST_CASE("what goes round without time passing is found out, what has much to do is not") {
    const auto tried = [](const std::string& subscription) {
        const auto told = read(R"({"transport": "memory", "subscriptions": [)" + subscription +
                               R"(], "steps": [{"publish": {"to": "a"}}, {"advance": "1h"}]})");
        REQUIRE(told.has_value());
        exercise into;
        return try_out(*told, into);
    };
    const auto spins = tried(R"({"source": {"name": "a"},
                                 "handler": [{"publish": [{"to": "a"}]}]})");
    REQUIRE(spins.has_value());
    CHECK_EQ(name_of(spins->what), "endless");
    CHECK_FALSE(tried(R"({"source": {"name": "a"}, "handler": ["retry_after 1ms"]})"));
}
