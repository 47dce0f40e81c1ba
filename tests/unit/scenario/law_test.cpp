// Each rule of the law, seen to be broken by made-up events, and kept by the same events without
// the fault.
#include "scenario/law.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace std::chrono_literals;
using namespace waybill::scenario;
using waybill::detail::settle_kind;

namespace law_events {

scenario with_cap(std::int64_t cap) {
    scenario told;
    auto& declared = told.subscriptions.emplace_back().declared;
    declared.name = "charge";
    declared.max_attempts = cap;
    return told;
}

scenario without_cap() {
    auto told = with_cap(1);
    told.subscriptions[0].declared.max_attempts.reset();
    return told;
}

scenario with_dead_letter(scenario told) {
    told.subscriptions[0].declared.dead_letter = "charges.dead";
    return told;
}

in_hand delivery_of(std::uint64_t id, std::uint32_t attempt = 1) {
    in_hand one;
    one.id = id;
    one.queue = "charges";
    one.attempt = attempt;
    one.has_run = true;
    return one;
}

in_hand answered(in_hand one, in_hand::said answer, nanoseconds delay = 0s) {
    one.answer = answer;
    one.delay = delay;
    return one;
}

/// The one thing that was broken, or what else there is.
std::string broken(const law& all) {
    if (all.broken().empty()) return "nothing";
    return all.broken().size() == 1 ? all.broken().front() : "several things";
}

/// It ran, and is settled.
std::string after(const scenario& told, const in_hand& one, settle_kind kind) {
    law all{told};
    all.ran(one, 0s);
    all.settled(one, kind, 0s);
    return broken(all);
}

constexpr auto says_settled =
    "subscription charge: message 1 was settled for good though nothing safe had taken its place";

}  // namespace law_events

using namespace law_events;
using said = in_hand::said;

TEST_CASE("what is acked or dropped ends, and what has a copy, a dead letter or waits here") {
    const auto told = with_dead_letter(with_cap(3));
    CHECK_EQ(after(told, answered(delivery_of(1), said::ack), settle_kind::accept), "nothing");
    CHECK_EQ(after(told, answered(delivery_of(1), said::drop), settle_kind::reject), "nothing");
    auto again = answered(delivery_of(1), said::again);
    CHECK_EQ(after(told, again, settle_kind::requeue), "nothing");
    CHECK_EQ(after(told, again, settle_kind::accept), says_settled);
    CHECK_EQ(after(told, again, settle_kind::reject), says_settled);
    auto copied = again;
    copied.is_copied = true;
    CHECK_EQ(after(told, copied, settle_kind::accept), "nothing");
    auto dead = again;
    dead.is_dead = true;
    CHECK_EQ(after(told, dead, settle_kind::accept), "nothing");
    auto kept = again;
    kept.kept = 1;
    CHECK_EQ(after(told, kept, settle_kind::accept), "nothing");
}

TEST_CASE("an unanswered delivery does not end") {
    CHECK_EQ(after(with_cap(1), delivery_of(1), settle_kind::accept), says_settled);
    CHECK_EQ(after(with_cap(1), delivery_of(1), settle_kind::release), "nothing");
}

TEST_CASE("what is spent ends without a dead letter only where none is declared") {
    const auto spent = answered(delivery_of(1, 3), said::again);
    CHECK_EQ(after(with_cap(3), spent, settle_kind::accept), "nothing");
    CHECK_EQ(after(with_cap(4), spent, settle_kind::accept), says_settled);
    CHECK_EQ(after(with_dead_letter(with_cap(3)), spent, settle_kind::accept), says_settled);
    CHECK_EQ(after(without_cap(), spent, settle_kind::accept), says_settled);
}

TEST_CASE("what expires before its delay ends, and a foreign copy that is not finished") {
    auto expiring = answered(delivery_of(1), said::again, 5s);
    expiring.is_expiring = true;
    CHECK_EQ(after(without_cap(), expiring, settle_kind::accept), "nothing");
    auto foreign = answered(delivery_of(1), said::again);
    foreign.is_foreign = true;
    CHECK_EQ(after(without_cap(), foreign, settle_kind::accept), "nothing");
}

TEST_CASE("a handler runs no more often than the cap says") {
    const auto told = with_cap(2);
    law all{told};
    all.ran(delivery_of(1, 1), 0s);
    all.ran(delivery_of(1, 2), 0s);
    CHECK_EQ(broken(all), "nothing");
    all.ran(delivery_of(1, 3), 0s);
    CHECK_EQ(broken(all), "subscription charge: message 1 ran 3 times under a cap of 2");
}

TEST_CASE("competing subscriptions share the count of their queue") {
    auto told = with_cap(1);
    told.subscriptions.push_back(told.subscriptions[0]);
    told.subscriptions[1].declared.name = "charge too";
    law all{told};
    all.ran(delivery_of(1, 1), 0s);
    auto other = delivery_of(1, 2);
    other.subscription = 1;
    all.ran(other, 0s);
    CHECK_EQ(broken(all), "subscription charge too: message 1 ran 2 times under a cap of 1");
}

TEST_CASE("a run whose connection fell, or that was given back, is not charged") {
    const auto told = with_cap(1);
    law all{told};
    all.ran(delivery_of(1), 0s);
    all.fell(delivery_of(1));
    all.ran(delivery_of(1), 0s);
    all.settled(delivery_of(1), settle_kind::release, 0s);
    all.ran(delivery_of(1), 0s);
    CHECK_EQ(broken(all), "nothing");
    all.ran(delivery_of(1), 0s);
    CHECK_EQ(broken(all), "subscription charge: message 1 ran 4 times under a cap of 1");
}

TEST_CASE("another reader's copy is not charged") {
    const auto told = with_cap(1);
    law all{told};
    auto foreign = delivery_of(1, 2);
    foreign.is_foreign = true;
    all.ran(foreign, 0s);
    all.ran(delivery_of(1), 0s);
    CHECK_EQ(broken(all), "nothing");
}

TEST_CASE("what waits does not come before its time") {
    const auto told = with_cap(3);
    for (const auto came : {4s, 5s}) {
        CAPTURE(came.count());
        law all{told};
        all.ran(delivery_of(1), 0s);
        all.settled(answered(delivery_of(1), said::again, 5s), settle_kind::requeue, 0s);
        all.ran(delivery_of(1, 2), came);
        CHECK_EQ(broken(all),
                 came == 5s ? "nothing" : "subscription charge: message 1 came 1s before its time");
    }
}

TEST_CASE("what an interruption may have doubled is held to neither time nor cap") {
    const auto told = with_cap(2);
    law all{told};
    auto copied = answered(delivery_of(1), said::again, 5s);
    copied.is_copied = true;
    all.ran(copied, 0s);
    all.settled(copied, settle_kind::release, 0s);
    all.ran(delivery_of(1), 0s);
    all.ran(delivery_of(1), 0s);
    all.ran(delivery_of(1), 0s);
    all.ran(delivery_of(1), 0s);
    CHECK_EQ(broken(all), "nothing");
}

TEST_CASE("copies of two readers on a third address are two of one message there") {
    for (const bool are_two : {false, true}) {
        CAPTURE(are_two);
        const auto told = with_cap(1);
        law all{told};
        all.copied_elsewhere(1, "refunds");
        all.copied_elsewhere(1, are_two ? "audits" : "refunds");
        all.ran(delivery_of(1), 0s);
        all.ran(delivery_of(1), 0s);
        CHECK_EQ(broken(all), are_two
                                  ? "nothing"
                                  : "subscription charge: message 1 ran 2 times under a cap of 1");
    }
}

TEST_CASE("what is spent does not come again") {
    const auto told = with_dead_letter(with_cap(2));
    constexpr auto says =
        "subscription charge: message 1 was to come again, though it was spent at attempt 2";
    CHECK_EQ(after(told, answered(delivery_of(1, 2), said::again), settle_kind::requeue), says);
    auto copied = answered(delivery_of(1, 2), said::again);
    copied.is_copied = true;
    CHECK_EQ(after(told, copied, settle_kind::accept), says);
    auto dead = answered(delivery_of(1, 2), said::again);
    dead.is_dead = true;
    dead.kept = 1;  // a second death waits
    CHECK_EQ(after(told, dead, settle_kind::accept), "nothing");
}

TEST_CASE("what ends on receipt was over") {
    const auto told = with_cap(2);
    const auto ended = [&](const in_hand& one) {
        law all{told};
        all.exceeded(one);
        return broken(all);
    };
    CHECK_EQ(ended(delivery_of(1, 3)), "nothing");
    CHECK_EQ(ended(delivery_of(1, 2)),
             "subscription charge: message 1 ended on receipt at attempt 2, and nothing was over");
    auto expiring = delivery_of(1);
    expiring.expires_at_ms = 1;
    CHECK_EQ(ended(expiring), "nothing");
    auto returned = delivery_of(1);
    returned.is_redelivered = true;
    CHECK_EQ(ended(returned), "nothing");
}

TEST_CASE("one lane takes what is new in its order") {
    auto told = with_cap(3);
    constexpr auto says =
        "subscription charge: message 1 ran after message 2, which was published later";
    for (const std::int64_t lanes : {1, 2}) {
        CAPTURE(lanes);
        told.subscriptions[0].declared.concurrency = lanes;
        law all{told};
        all.ran(delivery_of(2), 0s);
        all.ran(delivery_of(1), 0s);
        CHECK_EQ(broken(all), lanes == 1 ? says : "nothing");
    }
    told.subscriptions[0].declared.concurrency = 1;
    law all{told};
    all.ran(delivery_of(1), 0s);
    all.ran(delivery_of(2), 0s);
    all.ran(delivery_of(1, 2), 0s);
    CHECK_EQ(broken(all), "nothing");
}

TEST_CASE("what comes back unseen stands before what came later, unless readers compete for it") {
    auto told = with_cap(3);
    const auto ran = [&] {
        law all{told};
        all.ran(delivery_of(2), 0s);
        auto returned = delivery_of(1);
        returned.is_redelivered = true;
        all.ran(returned, 0s);
        return broken(all);
    };
    told.subscriptions[0].declared.from.name = "charges";
    CHECK_EQ(ran(),
             "subscription charge: message 1 ran after message 2, which was published later");
    told.subscriptions.push_back(told.subscriptions[0]);
    CHECK_EQ(ran(), "nothing");
    told.subscriptions[1].declared.from.name = "refunds";
    CHECK_EQ(ran(),
             "subscription charge: message 1 ran after message 2, which was published later");
}

TEST_CASE("what the server has charged unseen keeps its place, and a copy has none") {
    const auto told = with_cap(3);
    for (const bool is_copy : {false, true}) {
        CAPTURE(is_copy);
        law all{told};
        all.ran(delivery_of(2), 0s);
        auto second = delivery_of(1, 2);
        second.brings_count = is_copy;
        all.ran(second, 0s);
        CHECK_EQ(broken(all) == "nothing", is_copy);
    }
}

TEST_CASE("what came back too often for its server has no place to keep") {
    const auto told = with_cap(3);
    for (const int returns : {1, 2}) {
        CAPTURE(returns);
        law all{told, 1};
        all.ran(delivery_of(2), 0s);
        auto returned = delivery_of(1);
        returned.is_redelivered = true;
        for (int time = 0; time < returns; ++time) all.fell(returned);
        all.ran(returned, 0s);
        CHECK_EQ(broken(all) == "nothing", returns == 2);
    }
}

TEST_CASE("a dead letter has a cause") {
    const auto told = with_dead_letter(with_cap(3));
    const auto dead = [&](const in_hand& one) {
        law all{told};
        all.dead_letter(one);
        return broken(all);
    };
    CHECK_EQ(dead(answered(delivery_of(1, 3), said::again)), "nothing");
    CHECK_EQ(dead(answered(delivery_of(1), said::dead_letter)), "nothing");
    CHECK_EQ(dead(answered(delivery_of(1, 2), said::again)),
             "subscription charge: message 1 became a dead letter at attempt 2, which is below the "
             "cap");
    CHECK_EQ(dead(answered(delivery_of(1, 3), said::drop)),
             "subscription charge: message 1 was dropped, and became a dead letter");
    CHECK_EQ(dead(answered(delivery_of(1, 3), said::ack)),
             "subscription charge: message 1 was acked, and became a dead letter");
    auto exceeded = delivery_of(1, 2);
    exceeded.is_exceeded = true;
    CHECK_EQ(dead(exceeded), "nothing");
}
