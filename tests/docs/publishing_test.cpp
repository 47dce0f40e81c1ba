// The parts of docs/handlers.md that publish from outside of a handler.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <iostream>
#include <latch>
#include <utility>

using waybill::memory::queue;

namespace outside {

struct order {
    std::uint64_t id = 0;
    std::string drink;
};

namespace program {

// [main]
int main() {
    std::latch brewed{3};
    waybill::app app{"cafe", "1.0.0"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(queue("orders"), [&brewed](const order&) { brewed.count_down(); });
    const auto orders = broker.publisher();

    if (const auto started = app.start(); !started) {
        for (const auto& problem : started.error()) std::cerr << problem << '\n';
        return 2;
    }
    std::uint64_t id = 0;
    for (const auto* drink : {"espresso", "tea", "water"}) {
        if (const auto sent = orders.publish("orders", order{++id, drink}); !sent) {
            std::cerr << sent.error() << '\n';
            return 1;
        }
    }
    brewed.wait();  // a stop leaves with the broker what no handler has begun
    return app.stop() ? 0 : 1;
}
// [/main]

}  // namespace program

void brew(const order&) {}

/// Stands for a web server with threads of its own.
struct website {
    explicit website(waybill::publisher to) : orders{std::move(to)} { opened = this; }
    waybill::publisher orders;
    static inline website* opened = nullptr;
};

// [make_app]
waybill::app make_app() {
    waybill::app app{"cafe", "1.0.0"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(queue("orders"), brew);
    app.on_startup([orders = broker.publisher()] { return website{orders}; });
    return app;
}
// [/make_app]

}  // namespace outside

TEST_CASE("a program publishes beside its running app") { CHECK(outside::program::main() == 0); }

TEST_CASE("what an app makes at its start publishes while it runs") {
    using namespace outside;
    waybill::test_app tb{make_app()};
    REQUIRE(website::opened != nullptr);
    CHECK(website::opened->orders.publish("orders", order{7, "tea"}));
    tb.rest();
    CHECK(tb.outcomes(brew) == std::vector{waybill::ack()});
}
