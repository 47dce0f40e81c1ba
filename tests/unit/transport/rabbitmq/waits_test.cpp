#include "transport/rabbitmq/waits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

namespace waits_test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using waybill::rabbitmq::first_stretch;
using waybill::rabbitmq::longest_stretch;
using waybill::rabbitmq::queue_spec;
using waybill::rabbitmq::queue_type;
using waybill::rabbitmq::shortest_stretch;
using waybill::rabbitmq::stretch;
using waybill::rabbitmq::type_of_waits;
using waybill::rabbitmq::waiting_queue;
using waybill::rabbitmq::waiting_queue_name;
using waybill::rabbitmq::whole_grid;

TEST_CASE("two significant digits are one stretch") {
    for (const auto span : {100ms, 1500ms, 9900ms, 30'000ms, 120'000ms, 3'600'000ms}) {
        CAPTURE(span.count());
        CHECK(first_stretch(span, {}) == stretch{span, 0ns});
    }
}

TEST_CASE("any other delay is a stretch down to the grid and what is left") {
    CHECK(first_stretch(1234ms, {}) == stretch{1200ms, 34ms});
    CHECK(first_stretch(12'345ms, {}) == stretch{12'000ms, 345ms});
    CHECK(first_stretch(99ms, {}) == stretch{0ms, 99ms});
    CHECK(first_stretch(100ms + 1ns, {}) == stretch{100ms, 1ns});
    CHECK(first_stretch(0ns, {}) == stretch{0ms, 0ns});
    CHECK(first_stretch(std::chrono::hours{24 * 30}, {}).first == longest_stretch);
    CHECK(first_stretch(nanoseconds::max(), {}).first == longest_stretch);
}

TEST_CASE("a delay that comes again and again is one stretch, off the grid too") {
    const milliseconds often[] = {12'345ms};
    CHECK(first_stretch(12'345ms, often) == stretch{12'345ms, 0ns});
    CHECK(first_stretch(12'346ms, often) == stretch{12'000ms, 346ms});
}

TEST_CASE("by chance: no wait ends early, few stretches do, and all are on the grid") {
    const auto grid = whole_grid();
    const std::set<milliseconds> points{grid.begin(), grid.end()};
    std::mt19937_64 random{11};
    for (int run = 0; run < 20'000; ++run) {
        const auto most = std::int64_t{1} << (random() % 52);
        nanoseconds left{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most))};
        const auto whole = left;
        nanoseconds waited{0};
        int stretches = 0;
        while (left >= shortest_stretch) {
            const auto next = first_stretch(left, {});
            REQUIRE(points.contains(next.first));
            REQUIRE(next.first + next.left == left);
            waited += next.first;
            left = next.left;
            ++stretches;
        }
        REQUIRE(waited + left == whole);
        REQUIRE(stretches <= 10 + whole / longest_stretch);
    }
}

TEST_CASE("the grid is small, in order, and ends at seven days") {
    const auto grid = whole_grid();
    CHECK(grid.front() == shortest_stretch);
    CHECK(grid.back() == longest_stretch);
    CHECK(std::is_sorted(grid.begin(), grid.end()));
    CHECK(grid.size() == 511);
}

TEST_CASE("a waiting queue's name never changes") {
    CHECK(waiting_queue_name(30s, queue_type::quorum, "/", "orders") ==
          "waybill.wait.v1.30000.quorum.6c40bc44a494a7f3");
    CHECK(waiting_queue_name(30s, queue_type::classic, "/", "orders") !=
          waiting_queue_name(30s, queue_type::classic, "/eu", "orders"));
    CHECK(waiting_queue_name(30s, queue_type::classic, "a", "bc") !=
          waiting_queue_name(30s, queue_type::classic, "ab", "c"));
}

TEST_CASE("what goes back to a queue that stays waits in a quorum queue, whatever its type") {
    queue_spec origin;
    CHECK(type_of_waits(origin) == queue_type::quorum);
    origin.arguments.append("x-queue-type", "quorum");
    CHECK(type_of_waits(origin) == queue_type::quorum);
    for (auto member : {&queue_spec::exclusive, &queue_spec::auto_delete}) {
        queue_spec gone;
        gone.*member = true;
        CHECK(type_of_waits(gone) == queue_type::classic);
    }
    queue_spec transient;
    transient.durable = false;
    CHECK(type_of_waits(transient) == queue_type::classic);
}

TEST_CASE("a quorum waiting queue loses nothing, a classic one goes when unused") {
    const auto quorum = waiting_queue(30s, queue_type::quorum, "/", {"", "orders"});
    CHECK(quorum.durable);
    CHECK(quorum.arguments == waybill::headers{{"x-queue-type", "quorum"},
                                               {"x-message-ttl", std::int64_t{30'000}},
                                               {"x-dead-letter-exchange", ""},
                                               {"x-dead-letter-routing-key", "orders"},
                                               {"x-dead-letter-strategy", "at-least-once"},
                                               {"x-overflow", "reject-publish"}});
    const auto classic = waiting_queue(30s, queue_type::classic, "/", {"events", "orders.new"});
    CHECK(classic.arguments == waybill::headers{{"x-queue-type", "classic"},
                                                {"x-message-ttl", std::int64_t{30'000}},
                                                {"x-dead-letter-exchange", "events"},
                                                {"x-dead-letter-routing-key", "orders.new"},
                                                {"x-expires", std::int64_t{660'000}}});
    // The server keeps such times in 32 bits.
    const auto longest = waiting_queue(longest_stretch, queue_type::classic, "/", {"", "orders"});
    CHECK(*longest.arguments.find("x-expires")->integer() < 0xffff'ffffLL);
}

}  // namespace waits_test
