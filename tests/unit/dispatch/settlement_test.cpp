// Handlers that finish elsewhere: the settlement is used in the handler, later, or not at all.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace settlements {

struct order {
    std::uint64_t id;
};
struct invoice {
    static constexpr std::string_view address = "invoices";
    double cents;
};

/// A service that hands its settlements over instead of using them.
struct shop {
    std::deque<waybill::settlement> open;
    std::vector<std::uint64_t> ids;
    waybill::memory::server server;

    waybill::app make() {
        waybill::app app{"shop", "1"};
        app.broker(waybill::memory::broker{server})
            .subscribe(waybill::memory::queue("orders"),
                       [this](const order& o, waybill::settlement s) {
                           ids.push_back(o.id);
                           open.push_back(std::move(s));
                       })
            .max_attempts(3)
            .dead_letter("dead");
        return app;
    }
    waybill::settlement take() {
        auto first = std::move(open.front());
        open.pop_front();
        return first;
    }
};

static_assert(!std::is_copy_constructible_v<waybill::settlement>);
static_assert(!std::is_copy_assignable_v<waybill::settlement>);
static_assert(std::is_nothrow_move_constructible_v<waybill::settlement>);

TEST_CASE("a settlement may be used inside of the handler") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [](const order&, waybill::settlement s) { std::move(s).drop(); });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    CHECK(tb.outcomes("orders") == std::vector{waybill::drop()});
}

TEST_CASE("a settlement may be used long after the handler returned") {
    shop own;
    waybill::test_app tb{own.make()};
    tb.publish("orders", order{1});
    CHECK(own.server.unsettled() == 1);
    CHECK(tb.outcomes("orders").empty());
    tb.advance(1h);
    own.take().ack();
    tb.rest();
    CHECK(tb.outcomes("orders") == std::vector{waybill::ack()});
    CHECK(own.server.unsettled() == 0);
    CHECK(own.server.queued("orders") == 0);
}

TEST_CASE("a settlement gives every answer that a handler can give") {
    shop own;
    waybill::test_app tb{own.make()};
    tb.publish("orders", order{1});
    own.take().retry();
    tb.rest();
    own.take().retry_after(30s);
    tb.rest();
    tb.advance(30s);
    own.take().settle(waybill::retry());
    tb.rest();
    CHECK(tb.outcomes("orders") ==
          std::vector{waybill::retry(), waybill::retry_after(30s), waybill::retry()});
    CHECK(tb.published("dead") == 1);
}

TEST_CASE("the lane's slot stays taken until the settlement is used") {
    shop own;
    waybill::test_app tb{own.make()};
    tb.publish("orders", order{1});
    tb.publish("orders", order{2});
    CHECK(own.ids == std::vector<std::uint64_t>{1});
    CHECK(own.server.queued("orders") == 1);
    own.take().ack();
    tb.rest();
    CHECK(own.ids == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("as many settlements are out at a time as there are lanes") {
    shop own;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{own.server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](waybill::settlement s) { own.open.push_back(std::move(s)); })
        .concurrency(3);
    waybill::test_app tb{std::move(app)};
    for (std::uint64_t id = 1; id <= 5; ++id) tb.publish("orders", order{id});
    CHECK(own.server.unsettled() == 3);
    own.open.clear();
    tb.rest();
    CHECK(own.server.unsettled() == 3);
    CHECK(own.server.queued("orders") == 2);
}

TEST_CASE("a settlement that is destroyed unused gives the delivery back, uncounted") {
    shop own;
    waybill::test_app tb{own.make()};
    for (int time = 0; time < 10; ++time) {
        if (time == 0) tb.publish("orders", order{1});
        REQUIRE(own.open.size() == 1);
        own.open.clear();
        tb.rest();
    }
    own.take().ack();
    tb.rest();
    CHECK(tb.calls("orders") == 11);
    CHECK(tb.calls("orders")[10].attempt == 1);
    CHECK(tb.published("dead").empty());
}

TEST_CASE("a settlement that is moved away is empty, and moving onto one gives that one back") {
    shop own;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{own.server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](const order& o, waybill::settlement s) {
                       own.ids.push_back(o.id);
                       own.open.push_back(std::move(s));
                   })
        .concurrency(2);
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    tb.publish("orders", order{2});
    REQUIRE(own.open.size() == 2);
    auto first = own.take();
    auto moved = std::move(first);
    std::move(first).drop();  // NOLINT(bugprone-use-after-move): what is tested
    tb.rest();
    CHECK(own.server.unsettled() == 2);
    moved = own.take();
    tb.rest();
    CHECK(own.ids == std::vector<std::uint64_t>{1, 2, 1});
    auto& same = moved;
    moved = std::move(same);
    std::move(moved).ack();
    own.take().ack();
    tb.rest();
    CHECK(own.server.unsettled() == 0);
    CHECK(own.server.queued("orders") == 0);
}

TEST_CASE("a settlement settles once, however often it is used") {
    shop own;
    waybill::test_app tb{own.make()};
    tb.publish("orders", order{1});
    auto mine = own.take();
    std::move(mine).ack();
    std::move(mine).retry();  // NOLINT(bugprone-use-after-move): what is tested
    tb.rest();
    CHECK(tb.outcomes("orders") == std::vector{waybill::ack()});
    CHECK(tb.calls("orders") == 1);
}

TEST_CASE("a handler that hands its settlement over and then throws has failed") {
    shop own;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{own.server})
        .subscribe(waybill::memory::queue("orders"),
                   [&](waybill::attempt n, waybill::settlement s) {
                       own.open.push_back(std::move(s));
                       if (n == 1) throw std::runtime_error{"after all"};
                   });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    REQUIRE(own.open.size() == 2);
    own.take().drop();  // of the first delivery, which is over
    tb.rest();
    CHECK(own.server.unsettled() == 1);
    own.take().ack();
    tb.rest();
    CHECK(tb.outcomes("orders") == std::vector{waybill::retry(), waybill::ack()});
    CHECK(tb.calls("orders")[0].error == "after all");
}

TEST_CASE("a handler that throws with the settlement still in its hand has failed") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [](waybill::attempt n, waybill::settlement s) {
            if (n == 1) throw std::runtime_error{"too early"};
            std::move(s).ack();
        });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    CHECK(tb.outcomes("orders") == std::vector{waybill::retry(), waybill::ack()});
}

TEST_CASE(
    "a settlement that is used after the app stopped does nothing, and the delivery is back") {
    shop own;
    {
        waybill::test_app tb{own.make()};
        tb.publish("orders", order{1});
        CHECK_FALSE(tb.stop());
        CHECK(own.server.unsettled() == 0);
        CHECK(own.server.queued("orders") == 1);
        own.take().ack();
        tb.rest();
    }
    CHECK(own.server.queued("orders") == 1);
    waybill::test_app again{own.make()};
    again.rest();
    CHECK(again.calls("orders")[0].attempt == 1);
}

TEST_CASE("a settlement outlives its app") {
    shop own;
    {
        waybill::test_app tb{own.make()};
        tb.publish("orders", order{1});
    }
    own.take().ack();
    CHECK(own.server.queued("orders") == 1);
}

TEST_CASE("what the handler staged goes out when its settlement acks, and not otherwise") {
    std::deque<waybill::settlement> open;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [&](waybill::out<invoice> out, waybill::settlement s) {
                       out.publish(invoice{1});
                       open.push_back(std::move(s));
                   });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    CHECK(tb.published("invoices").empty());
    std::move(open.front()).retry();
    tb.rest();
    CHECK(tb.published("invoices").empty());
    std::move(open.back()).ack();
    tb.rest();
    CHECK(tb.published("invoices") == 1);
}

TEST_CASE("what could not be encoded fails a deferred delivery, but not the one after it") {
    std::deque<waybill::settlement> open;
    double cents = std::numeric_limits<double>::quiet_NaN();
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [&](waybill::context& about, waybill::settlement s) {
                       about.publish("invoices", invoice{cents});
                       open.push_back(std::move(s));
                   })
        .on_exception(waybill::drop());
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    open.pop_front();  // given back: what failed then is of no account any more
    cents = 1;
    tb.rest();
    REQUIRE(open.size() == 1);
    std::move(open.front()).ack();
    open.pop_front();
    tb.rest();
    CHECK(tb.published("invoices") == 1);
    cents = std::numeric_limits<double>::quiet_NaN();
    tb.publish("orders", order{2});
    std::move(open.front()).ack();
    tb.rest();
    CHECK(tb.outcomes("orders") == std::vector{waybill::ack(), waybill::drop()});
}

TEST_CASE("a delivery whose connection fell is settled in vain, and comes again") {
    shop own;
    waybill::test_app tb{own.make()};
    tb.publish("orders", order{1});
    own.server.drop_connections();
    tb.rest();
    CHECK(own.server.queued("orders") == 1);
    own.take().ack();
    tb.rest();
    CHECK(own.ids == std::vector<std::uint64_t>{1, 1});
    own.take().ack();
    tb.rest();
    CHECK(own.server.queued("orders") == 0);
    CHECK(own.server.unsettled() == 0);
}

TEST_CASE("what was settled elsewhere does not wait for the next delivery's handler") {
    shop own;
    std::size_t in_hand = 0;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{own.server})
        .subscribe(waybill::memory::queue("orders"), [&](const order&, waybill::settlement s) {
            in_hand = own.server.unsettled();
            own.open.push_back(std::move(s));
        });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    tb.publish("orders", order{2});
    own.take().ack();
    tb.rest();
    CHECK(in_hand == 1);
}

}  // namespace settlements
