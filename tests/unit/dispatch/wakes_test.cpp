/// Which lane a message wakes while only one may take: each lane has a pool of its own here, which
/// the test drives.
#include "dispatch/subscription.hpp"
#include "settle_rig.hpp"
#include <waybill/detail/handler.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace wakes_test {

using namespace waybill;

/// Holds what the test puts there; `looked_at` comes between a lane's look at the window and what
/// it gets.
class scripted_consumer final : public detail::consumer {
public:
    std::size_t take(std::span<detail::received> room) override {
        if (const auto then = std::exchange(looked_at, nullptr)) {
            then();
            return 0;
        }
        if (ready == 0 || room.empty()) return 0;
        --ready;
        room[0] = {};
        room[0].token = &token;
        room[0].generation = now;
        room[0].redelivered = true;
        return 1;
    }
    [[nodiscard]] std::size_t available() const noexcept override { return ready; }
    void settle(std::span<const detail::settle_op>) override {}
    [[nodiscard]] std::uint64_t generation() const noexcept override { return now; }
    void cancel() noexcept override {}

    std::function<void()> looked_at;
    std::size_t ready = 0;
    std::uint64_t now = 1;
    int token = 0;
};

TEST_CASE("a lane that a message wakes, and that may not take it, wakes the one that may") {
    support::settle_rig rig;
    int calls = 0;
    const auto handler = detail::make_handler([&](std::span<const std::byte>) { ++calls; });
    dispatch::equipment with;
    with.declared = &rig.declared;
    with.handler = &handler;
    with.max_batch = 1;
    dispatch::pool first{"first"};
    dispatch::pool second{"second"};
    dispatch::subscription orders{std::move(with), [] {}};
    rig.share(orders.shared);
    auto owned = std::make_unique<scripted_consumer>();
    auto& server = *owned;
    orders.open(std::move(owned), {&first, &second});
    const auto run = [](dispatch::pool& on) {
        while (on.run_one()) {
        }
    };
    run(second);  // the one that takes
    run(first);

    // The second still looks through the window of one connection while the first has that of the
    // next, and falls asleep behind it.
    server.looked_at = [&] {
        server.now = 2;
        orders.reconnected();
        run(first);
    };
    orders.reconnected();
    second.run_one();
    server.ready = 1;
    orders.ready();
    run(second);
    run(first);
    CHECK(calls == 1);
}

}  // namespace wakes_test
