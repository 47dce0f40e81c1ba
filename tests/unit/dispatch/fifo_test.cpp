#include "dispatch/fifo.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <random>

using waybill::dispatch::fifo;

TEST_CASE("what went into a fifo first comes out first, whatever the turns of both") {
    std::minstd_rand random{7};
    fifo<unsigned> tested;
    std::deque<unsigned> model;
    for (unsigned step = 0; step < 20'000; ++step) {
        REQUIRE(tested.empty() == model.empty());
        const bool fills = step % 2'000 < 1'000;
        if (model.empty() || random() % 8 < (fills ? 5U : 2U)) {
            tested.push(step);
            model.push_back(step);
        } else {
            REQUIRE(tested.pop() == model.front());
            model.pop_front();
        }
    }
    while (!model.empty()) {
        REQUIRE(tested.pop() == model.front());
        model.pop_front();
    }
    CHECK(tested.empty());
}

TEST_CASE("a fifo that is never empty forgets what has left it") {
    const auto one = std::make_shared<int>(1);
    fifo<std::shared_ptr<int>> tested;
    tested.push(one);
    for (int turn = 0; turn < 1'000; ++turn) {
        tested.push(one);
        CHECK(tested.pop() == one);
    }
    CHECK(one.use_count() == 2);
}
