#include "transport/rabbitmq/acks.hpp"

#include "heap_peak.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace acks_test {

using waybill::rabbitmq::acks;
using frames = std::vector<acks::frame>;

frames taken(acks& from) {
    frames all;
    from.take([&](acks::frame each) { all.push_back(each); });
    return all;
}

acks with(std::uint64_t deliveries) {
    acks made;
    for (std::uint64_t tag = 1; tag <= deliveries; ++tag) made.delivered(tag);
    return made;
}

TEST_CASE("what is settled from the front is acked by one frame") {
    auto all = with(5);
    for (const std::uint64_t tag : {3, 1, 2}) all.ack(tag);
    CHECK(taken(all) == frames{{3, true}});
    CHECK(all.unsettled() == 2);
}

TEST_CASE("one alone is not acked as many") {
    auto all = with(2);
    all.ack(1);
    CHECK(taken(all) == frames{{1, false}});
}

TEST_CASE("behind one that is in hand each is acked for itself") {
    auto all = with(4);
    for (const std::uint64_t tag : {2, 3, 4}) all.ack(tag);
    CHECK(taken(all) == frames{{2, false}, {3, false}, {4, false}});
    all.ack(1);
    CHECK(taken(all) == frames{{1, false}});
    CHECK(all.unsettled() == 0);
}

TEST_CASE("what was given back does not stop a run, and is not acked") {
    auto all = with(4);
    all.settled_otherwise(2);
    all.settled_otherwise(4);
    all.ack(1);
    all.ack(3);
    CHECK(taken(all) == frames{{3, true}});
    CHECK_FALSE(all.is_unsettled(4));
}

TEST_CASE("a tag that is not in hand is no matter") {
    auto all = with(2);
    all.ack(7);
    all.ack(0);
    all.settled_otherwise(9);
    all.ack(1);
    all.ack(1);
    CHECK(taken(all) == frames{{1, false}});
    CHECK(taken(all).empty());
    CHECK(all.unsettled() == 1);
}

TEST_CASE("by chance: the server has exactly what was said") {
    std::mt19937 random{7};
    for (int run = 0; run < 500; ++run) {
        acks all;
        std::vector<int> at_server;  // 0 in hand, 1 acked
        std::vector<int> said;       // 0 in hand, 1 acked, 2 otherwise
        for (int step = 0; step < 60; ++step) {
            const auto dice = random() % 10;
            if (dice < 4) {
                at_server.push_back(0);
                said.push_back(0);
                all.delivered(at_server.size());
            } else if (dice < 9 && !said.empty()) {
                const auto at = random() % said.size();
                if (said[at] != 0) continue;
                const bool acks_it = random() % 4 != 0;
                said[at] = acks_it ? 1 : 2;
                acks_it ? all.ack(at + 1) : all.settled_otherwise(at + 1);
                if (!acks_it) at_server[at] = 2;
            } else {
                for (const auto& each : taken(all)) {
                    for (std::uint64_t tag = each.multiple ? 1 : each.tag; tag <= each.tag; ++tag) {
                        auto& there = at_server[tag - 1];
                        REQUIRE((each.multiple || there == 0));  // known to the server
                        if (there == 0) there = 1;
                    }
                }
                REQUIRE(at_server == said);
            }
        }
    }
}

TEST_CASE("one that is long in hand holds no memory of those that came after it") {
    const support::heap_watch heap;
    auto all = with(2);
    all.ack(1);
    CHECK(taken(all) == frames{{1, false}});
    for (std::uint64_t tag = 3; tag < 200'000; ++tag) {
        all.delivered(tag);
        all.ack(tag);
        REQUIRE(taken(all) == frames{{tag, false}});
    }
    CHECK(heap.in_use() < 16'384);
    CHECK(all.unsettled() == 1);
    CHECK(all.is_unsettled(2));
    all.delivered(200'000);
    all.delivered(200'001);
    all.ack(200'000);
    all.ack(2);
    CHECK(taken(all) == frames{{2, false}, {200'000, false}});
    CHECK_FALSE(all.is_unsettled(2));
    all.delivered(200'002);
    all.ack(200'002);
    all.ack(200'001);
    CHECK(taken(all) == frames{{200'002, true}});
    CHECK(all.unsettled() == 0);
}

TEST_CASE("what is long in hand goes back, or is rejected, as all else") {
    auto all = with(4);
    for (std::uint64_t tag = 5; tag < 3'000; ++tag) {
        all.delivered(tag);
        all.ack(tag);
        (void)taken(all);
    }
    all.settled_otherwise(3);
    all.ack(3);
    CHECK(taken(all).empty());
    std::vector<std::uint64_t> back;
    all.delivered(3'000);
    all.take_back([&](std::uint64_t tag) { back.push_back(tag); });
    CHECK(back == std::vector<std::uint64_t>{1, 2, 4, 3'000});
    CHECK(all.unsettled() == 0);
}

/// Steps at which most of what is settled came lately, and some is long in hand.
TEST_CASE("by chance: the same while some are in hand for long") {
    std::mt19937 random{11};
    acks all;
    std::vector<int> at_server;
    std::vector<int> said;
    for (int step = 0; step < 30'000; ++step) {
        const auto dice = random() % 20;
        if (dice < 9) {
            at_server.push_back(0);
            said.push_back(0);
            all.delivered(at_server.size());
        } else if (dice < 19 && !said.empty()) {
            const auto among =
                random() % 500 == 0 ? said.size() : std::min<std::size_t>(said.size(), 4);
            const auto at = said.size() - 1 - random() % among;
            if (said[at] != 0) continue;
            const bool acks_it = random() % 4 != 0;
            said[at] = acks_it ? 1 : 2;
            acks_it ? all.ack(at + 1) : all.settled_otherwise(at + 1);
            if (!acks_it) at_server[at] = 2;
        } else {
            bool are_known = true;
            for (const auto& each : taken(all)) {
                for (std::uint64_t tag = each.multiple ? 1 : each.tag; tag <= each.tag; ++tag) {
                    auto& there = at_server[tag - 1];
                    are_known = are_known && (each.multiple || there == 0);
                    if (there == 0) there = 1;
                }
            }
            REQUIRE(are_known);
            REQUIRE((at_server == said));
        }
    }
}

TEST_CASE("what is in hand goes back tag by tag, once, and nothing that is settled") {
    auto all = with(5);
    all.ack(2);
    all.settled_otherwise(4);
    std::vector<std::uint64_t> back;
    const auto note = [&](std::uint64_t tag) { back.push_back(tag); };
    all.take_back(note);
    CHECK(back == std::vector<std::uint64_t>{1, 3, 5});
    CHECK(all.unsettled() == 0);
    all.take_back(note);
    CHECK(back.size() == 3);
}

}  // namespace acks_test
