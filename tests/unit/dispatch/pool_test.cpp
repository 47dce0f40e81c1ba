// Pools driven by hand: what runs, in which order, and what a pool that ended does.
#include "dispatch/pool.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace pool_test {

using waybill::dispatch::pool;
using waybill::dispatch::runnable;

/// Says its name at each turn, and that there is more as often as it is told.
class worker final : public runnable {
public:
    worker(pool& on, std::string& said, char name, int more = 0)
        : runnable{on}, said_{said}, name_{name}, more_{more} {}

private:
    bool turn() noexcept override {
        said_ += name_;
        return more_-- > 0;
    }

    std::string& said_;
    char name_;
    int more_;
};

TEST_CASE("lanes run a turn at a time, in the order of scheduling") {
    pool by_hand{"hand"};
    std::string said;
    worker a{by_hand, said, 'a', 2};
    worker b{by_hand, said, 'b'};
    a.schedule();
    b.schedule();
    b.schedule();
    while (by_hand.run_one()) {
    }
    CHECK(said == "abaa");
}

TEST_CASE("a pool that has ended forgets its lanes, which may go one by one") {
    pool by_hand{"hand"};
    std::string said;
    std::optional<worker> a{std::in_place, by_hand, said, 'a'};
    worker b{by_hand, said, 'b'};
    a->schedule();
    by_hand.join();
    a.reset();
    b.schedule();
    CHECK_FALSE(by_hand.run_one());
    CHECK(said.empty());
}

}  // namespace pool_test
