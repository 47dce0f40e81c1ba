// The test kit itself: the same order every time, time that passes exactly, and words when
// something is wrong.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace test_kit {

struct order {
    std::uint64_t id;
};
struct ping {
    static constexpr std::string_view address = "pings";
    std::uint64_t id;
};
struct pong {
    static constexpr std::string_view address = "pongs";
    std::uint64_t id;
};

waybill::app quiet_app() { return {"shop", "1"}; }

/// What it throws, as text; empty when it throws nothing.
template <class Exception>
std::string thrown_by(const std::function<void()>& act) {
    try {
        act();
    } catch (const Exception& thrown) {
        return thrown.what();
    }
    return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// ---- order and time ----------------------------------------------------------------------------

waybill::reply<pong> answer(const ping& p) {
    if (p.id % 3 == 0) return waybill::retry();
    return pong{p.id};
}

/// Three services' worth of retries, delays, replies and dead letters.
std::string history_of_a_busy_test() {
    auto app = quiet_app();
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("pings"), answer)
        .concurrency(4)
        .max_attempts(3)
        .retry_backoff(waybill::backoff::exponential(1s, 4s))
        .dead_letter("dead");
    broker
        .subscribe(waybill::memory::fan_out("pongs"),
                   [](const pong& p, waybill::attempt n) {
                       return n == 1 ? waybill::retry_after(std::chrono::seconds{p.id})
                                     : waybill::ack();
                   })
        .concurrency(2);
    broker.subscribe(waybill::memory::queue("dead"), [](const ping&) {});
    waybill::test_app tb{std::move(app)};
    for (std::uint64_t id = 0; id < 4; ++id) tb.publish(ping{id});
    tb.advance(10s);
    return tb.history();
}

TEST_CASE("two runs of a test have the same history") {
    const auto first = history_of_a_busy_test();
    CHECK(first == history_of_a_busy_test());
    CHECK(has(first, "  0s  pings: delivery 1 of a message for pings\n"));
    CHECK(has(first, "  3s  published to dead (dead_letter)\n"));
}

TEST_CASE("advance fires what is due in order, each with all that it causes before the next") {
    std::vector<std::string> seen;
    auto app = quiet_app();
    waybill::test_app* kit = nullptr;
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(
        waybill::memory::queue("orders"),
        [&](const order& o, waybill::attempt n, waybill::out<ping> out) -> waybill::outcome {
            if (n == 1) return waybill::retry_after(std::chrono::seconds{o.id});
            seen.push_back("order " + std::to_string(o.id) + " at " + waybill::to_text(kit->now()));
            out.publish(ping{o.id});
            return waybill::ack();
        });
    broker.subscribe(waybill::memory::queue("pings"), [&](const ping& p) {
        seen.push_back("ping " + std::to_string(p.id) + " at " + waybill::to_text(kit->now()));
    });
    waybill::test_app tb{std::move(app)};
    kit = &tb;
    for (const std::uint64_t id : {3, 1, 2}) tb.publish("orders", order{id});
    tb.publish("orders", order{1});
    tb.advance(10s);
    CHECK(seen == std::vector<std::string>{"order 1 at 1s", "ping 1 at 1s", "order 1 at 1s",
                                           "ping 1 at 1s", "order 2 at 2s", "ping 2 at 2s",
                                           "order 3 at 3s", "ping 3 at 3s"});
    CHECK(tb.now() == 10s);
}

TEST_CASE("what falls due because of what fell due still belongs to the same advance") {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [](const order&) { return waybill::retry_after(1s); });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    tb.advance(10s);
    CHECK(tb.calls("orders") == 11);
    CHECK(tb.calls("orders")[10].at == 10s);
}

TEST_CASE("an advance of nothing or less lets no time pass") {
    auto app = quiet_app();
    waybill::test_app tb{std::move(app)};
    tb.advance(0s);
    tb.advance(-5s);
    CHECK(tb.now() == 0s);
}

TEST_CASE("advance inside of a handler is refused, and time stands still") {
    std::string refused;
    waybill::test_app* kit = nullptr;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [&](const order&) {
            refused = thrown_by<std::logic_error>([&] { kit->advance(1s); });
        });
    waybill::test_app tb{std::move(app)};
    kit = &tb;
    tb.publish("orders", order{1});
    CHECK(has(refused, "not for a handler"));
    CHECK(tb.now() == 0s);
}

TEST_CASE("stop inside of a handler is refused") {
    std::string refused;
    waybill::test_app* kit = nullptr;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [&](const order&) {
            refused = thrown_by<std::logic_error>([&] { kit->stop(); });
        });
    waybill::test_app tb{std::move(app)};
    kit = &tb;
    tb.publish("orders", order{1});
    CHECK(has(refused, "not for a handler"));
    CHECK(tb.outcomes("orders") == std::vector{waybill::ack()});
}

TEST_CASE("a publish of the test inside of a handler is handled after it, in the same reaction") {
    std::vector<std::uint64_t> seen;
    waybill::test_app* kit = nullptr;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [&](const order& o) {
            if (o.id < 3) kit->publish("orders", order{o.id + 1});
            seen.push_back(o.id);
        });
    waybill::test_app tb{std::move(app)};
    kit = &tb;
    tb.publish("orders", order{1});
    CHECK(seen == std::vector<std::uint64_t>{1, 2, 3});
}

// ---- words -------------------------------------------------------------------------------------

TEST_CASE("what is picked out of a look at the app outlives the look") {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("pings"), answer)
        .max_attempts(1)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    tb.publish(ping{3}, {{"tenant", "seven"}});
    const auto& dead = tb.published("dead")[0];
    CHECK(dead.with.text("tenant") == "seven");
    CHECK(dead.text() == R"({"id":3})");
    std::size_t count = 0;
    for (const auto& each : tb.published("dead")[0].with) count += each.name.empty() ? 0 : 1;
    CHECK(count == dead.with.count());
}

TEST_CASE("a reaction that does not come to rest is reported with the addresses it goes round") {
    auto app = quiet_app();
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("pings"),
                     [](const ping& p) -> waybill::reply<pong> { return pong{p.id}; });
    broker.subscribe(waybill::memory::queue("pongs"),
                     [](const pong& p) -> waybill::reply<ping> { return ping{p.id}; });
    waybill::test_app tb{std::move(app)};
    tb.reaction_limit(100);
    const auto said = thrown_by<waybill::test_failure>([&] { tb.publish(ping{1}); });
    CHECK(has(said, "did not come to rest after 100 deliveries"));
    CHECK(has(said, "pings (51)"));
    CHECK(has(said, "pongs (50)"));
    CHECK(has(said, "max_attempts"));
}

TEST_CASE("a retry without a cap comes to rest, because it pauses") {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [](const order&) { return waybill::retry(); });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    CHECK(tb.calls("orders") == 2);
}

TEST_CASE("a look at the app prints what did happen") {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [](const order&) { throw std::runtime_error{"no provider"}; })
        .max_attempts(2)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    const std::string before = doctest::toString(tb.calls("orders")).c_str();
    CHECK(before == "0\nwhat happened:\n  nothing\n");
    tb.publish("orders", order{1});
    const std::string said = doctest::toString(tb.calls("orders")).c_str();
    CHECK(said.starts_with("2\nwhat happened:\n"));
    CHECK(has(said, "  0s  orders: delivery 1 of a message for orders\n"));
    CHECK(has(said, "  0s  orders: retry (no provider)\n"));
    CHECK(has(said, "  0s  orders: delivery 1 requeued\n"));
    CHECK(has(said, "  0s  published to dead (dead_letter)\n"));
    std::ostringstream outcomes;
    outcomes << tb.outcomes("orders");
    CHECK(has(outcomes.str(), "orders: retry (no provider)"));
    CHECK(has(thrown_by<waybill::test_failure>([&] { (void)tb.published("dead")[1]; }),
              "there is no item 1"));
}

TEST_CASE("a long history keeps its last lines and says how many there were before") {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [](const order&) {});
    waybill::test_app tb{std::move(app)};
    for (std::uint64_t id = 0; id < 100; ++id) tb.publish("orders", order{id});
    CHECK(has(tb.history(), "(240 lines before)"));
}

TEST_CASE("a handler or a name that nothing subscribes is a failure of the test") {
    waybill::test_app tb{quiet_app()};
    CHECK(has(thrown_by<waybill::test_failure>([&] { (void)tb.calls(answer); }),
              "no subscription has this handler"));
    CHECK(has(thrown_by<waybill::test_failure>([&] { (void)tb.outcomes("ordres"); }),
              "no subscription has the name ordres; there"));
}

TEST_CASE("a publish that the broker refuses is a failure of the test") {
    auto app = quiet_app();
    CHECK(has(thrown_by<waybill::test_failure>([&] {
                  waybill::test_app tb{quiet_app()};
                  tb.publish("orders", order{1});
              }),
              "no broker"));
    app.broker(waybill::memory::broker{});
    waybill::test_app tb{std::move(app)};
    tb.stop();
    CHECK(has(thrown_by<waybill::test_failure>([&] { tb.publish("orders", order{1}); }),
              "not running"));
}

TEST_CASE("a message that cannot be read as the type asked for says so with its address") {
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [](std::span<const std::byte> raw, waybill::context& about) {
                       about.publish("copies", raw);
                   });
    waybill::test_app tb{std::move(app)};
    tb.publish_raw("orders", R"({"id":4})");
    tb.publish_raw("orders", "{");
    CHECK(tb.published("copies")[0].as<order>(waybill::codecs::json()).id == 4);
    CHECK(has(thrown_by<waybill::test_failure>(
                  [&] { (void)tb.published("copies")[1].as<order>(waybill::codecs::json()); }),
              "copies: "));
}

TEST_CASE("an app that does not start is a test_failure with the reason") {
    CHECK(has(thrown_by<waybill::test_failure>([] {
                  auto app = quiet_app();
                  app.on_startup([]() -> order { throw std::runtime_error{"no database"}; });
                  const waybill::test_app tb{std::move(app)};
              }),
              "no database"));
}

// ---- prepared state ----------------------------------------------------------------------------

struct provider {
    virtual ~provider() = default;
    [[nodiscard]] virtual int price() const { return 100; }
};
struct cheap final : provider {
    [[nodiscard]] int price() const override { return 1; }
};
struct counter {
    int count = 0;
};

waybill::app app_with_states(int& price) {
    auto app = quiet_app();
    app.on_startup([]() -> std::shared_ptr<provider> {
        throw std::runtime_error{"there is no provider in tests"};
    });
    app.on_startup([] { return counter{10}; });
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [&](waybill::state<provider> p, waybill::state<counter> c) {
                       price = p->price() + ++c->count;
                   });
    return app;
}

TEST_CASE("with_state puts a fake in the place of its base, and on_startup is not run for it") {
    int price = 0;
    waybill::test_app tb{app_with_states(price),
                         waybill::with_state<provider>(std::make_shared<cheap>())};
    tb.publish_raw("orders", "x");
    CHECK(price == 12);
}

TEST_CASE("with_state takes a value, or a reference to what the test owns") {
    int price = 0;
    cheap fake;
    {
        waybill::test_app tb{app_with_states(price),
                             waybill::with_state(std::ref(static_cast<provider&>(fake))),
                             waybill::with_state(counter{50})};
        tb.publish_raw("orders", "x");
        CHECK(price == 52);
    }
    counter mine{70};
    waybill::test_app tb{app_with_states(price),
                         waybill::with_state(std::ref(static_cast<provider&>(fake))),
                         waybill::with_state(std::ref(mine))};
    tb.publish_raw("orders", "x");
    CHECK(price == 72);
    CHECK(mine.count == 71);
}

TEST_CASE(
    "with_state of a type that no on_startup makes is a failure that says how to give a fake") {
    int price = 0;
    const auto said = thrown_by<waybill::test_failure>([&] {
        const waybill::test_app tb{app_with_states(price),
                                   waybill::with_state(std::make_shared<cheap>())};
    });
    CHECK(has(said, "a type that no on_startup makes"));
    CHECK(has(said, "shared_ptr to its base"));
}

// ---- clocks and brokers ------------------------------------------------------------------------

TEST_CASE("a service that is started again on the same clock counts its time from its own start") {
    auto time = std::make_shared<waybill::manual_clock>();
    {
        waybill::test_app tb{quiet_app(), waybill::with_clock(time)};
        tb.advance(5s);
        CHECK(tb.now() == 5s);
        CHECK(tb.time() == time);
    }
    waybill::test_app tb{quiet_app(), waybill::with_clock(time)};
    CHECK(tb.now() == 0s);
    CHECK(time->now() == 5s);
}

TEST_CASE("a test publishes to the broker that reads the address, in its reader's codec") {
    std::vector<std::uint64_t> north;
    std::vector<std::uint64_t> south;
    const waybill::memory::server northern;
    const waybill::memory::server southern;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{northern})
        .subscribe(waybill::memory::queue("north.*"),
                   [&](const order& o) { north.push_back(o.id); });
    app.broker(waybill::memory::broker{southern})
        .subscribe(waybill::memory::queue("south.*"),
                   [&](const order& o) { south.push_back(o.id); })
        .codec(waybill::codecs::cbor());
    waybill::test_app tb{std::move(app)};
    tb.publish("south.orders", order{2});
    tb.publish("north.orders", order{1});
    CHECK(north == std::vector<std::uint64_t>{1});
    CHECK(south == std::vector<std::uint64_t>{2});
    CHECK(northern.queued("south.orders") == 0);
    CHECK(southern.queued("north.orders") == 0);
}

TEST_CASE("replies and dead letters stay on the broker that the delivery came from") {
    const waybill::memory::server first;
    const waybill::memory::server second;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{first})
        .subscribe(waybill::memory::queue("a"), [](const order&) { return waybill::retry(); })
        .max_attempts(1)
        .dead_letter("dead");
    app.broker(waybill::memory::broker{second})
        .subscribe(waybill::memory::queue("b"),
                   [](const order& o) -> waybill::reply<pong> { return pong{o.id}; });
    waybill::test_app tb{std::move(app)};
    tb.publish("a", order{1});
    tb.publish("b", order{2});
    CHECK(first.queued("dead") == 1);
    CHECK(second.queued("dead") == 0);
    CHECK(first.queued("pongs") == 0);
    CHECK(second.queued("pongs") == 1);
}

TEST_CASE("answers that come out of order belong to their own runs") {
    std::vector<waybill::settlement> open;
    auto app = quiet_app();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order&, waybill::settlement s) { open.push_back(std::move(s)); })
        .concurrency(2);
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    tb.publish("orders", order{2});
    REQUIRE(open.size() == 2);
    std::move(open[0]).drop();
    tb.rest();
    CHECK(tb.calls("orders")[0].answered);
    CHECK_FALSE(tb.calls("orders")[1].answered);
    std::move(open[1]).ack();
    tb.rest();
    CHECK(tb.outcomes("orders") == std::vector{waybill::drop(), waybill::ack()});
}

}  // namespace test_kit
