// The parts of docs/testing.md: `// [name]` begins one and `// [/name]` ends it.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <map>
#include <vector>

using namespace std::chrono_literals;

// [service]
struct refund {
    std::uint64_t id = 0;
    std::uint64_t cents = 0;
};

struct refunded {
    static constexpr std::string_view address = "refunds.done";
    std::uint64_t id = 0;
};

class bank {  // what the service calls; a test has another
public:
    virtual ~bank() = default;
    virtual bool pay(std::uint64_t id, std::uint64_t cents) = 0;
};

waybill::reply<refunded> process_refund(const refund& asked, waybill::state<bank> to) {
    if (!to->pay(asked.id, asked.cents)) return waybill::retry();
    return refunded{asked.id};
}

waybill::app make_app(const std::function<std::shared_ptr<bank>()>& open_bank,
                      const waybill::memory::server& at = waybill::memory::server{}) {
    waybill::app app{"refunds", "1"};
    app.on_startup(open_bank);
    app.broker(waybill::memory::broker{at})
        .subscribe(waybill::memory::queue("refunds"), process_refund)
        .max_attempts(3)
        .dead_letter("refunds.dead")
        .retry_backoff(waybill::backoff::list({10s, 1min}));
    return app;
}
// [/service]

namespace {

// [fake]
class test_bank : public bank {
public:
    bool pay(std::uint64_t id, std::uint64_t) override { return ++asked[id] > refusals; }
    int refusals = 0;
    std::map<std::uint64_t, int> asked;
};
// [/fake]

std::shared_ptr<bank> no_bank() { throw std::runtime_error{"the tests have no bank"}; }

}  // namespace

// [five lines]
TEST_CASE("a refund is tried after ten seconds and a minute, and no more than three times") {
    const auto busy = std::make_shared<test_bank>();
    busy->refusals = 99;
    waybill::test_app tb{make_app(no_bank), waybill::with_state<bank>(busy)};
    tb.publish("refunds", refund{.id = 7, .cents = 1250});
    tb.advance(69s);
    CHECK(tb.calls(process_refund) == 2);
    tb.advance(1s);
    CHECK(tb.calls(process_refund) == 3);
    CHECK(tb.published("refunds.dead") == 1);
}
// [/five lines]

TEST_CASE("looks") {
    const auto patient = std::make_shared<test_bank>();
    patient->refusals = 1;
    waybill::test_app tb{make_app(no_bank), waybill::with_state<bank>(patient)};
    // [looks]
    tb.publish("refunds", refund{.id = 7, .cents = 1250}, {{"trace", "abc"}});
    tb.advance(1min);
    CHECK(tb.outcomes(process_refund) == std::vector{waybill::retry(), waybill::ack()});
    const auto second = tb.calls(process_refund)[1];
    CHECK(second.attempt == 2);
    CHECK(second.at == 10s);
    CHECK(second.with.text("trace") == "abc");
    const auto sent = tb.published("refunds.done")[0];
    CHECK(sent.as<refunded>(waybill::codecs::json()).id == 7);
    // [/looks]
}

TEST_CASE("a payload that cannot be read") {
    waybill::test_app tb{make_app(no_bank),
                         waybill::with_state<bank>(std::make_shared<test_bank>())};
    // [raw]
    tb.publish_raw("refunds", R"({"id":"seven"})");
    CHECK(tb.calls(process_refund) == 0);
    CHECK(tb.published("refunds.dead")[0].with.text("waybill-dead-reason") == "decode");
    // [/raw]
}

TEST_CASE("a failed look prints what happened") {
    waybill::test_app tb{make_app(no_bank),
                         waybill::with_state<bank>(std::make_shared<test_bank>())};
    tb.publish("refunds", refund{.id = 7, .cents = 1250});
    // [history]
    CHECK(tb.history() ==
          "what happened:\n"
          "  0s  refunds: delivery 1 of a message for refunds\n"
          "  0s  published to refunds.done (staged)\n"
          "  0s  refunds: ack\n"
          "  0s  refunds: delivery 1 accepted\n");
    // [/history]
}

TEST_CASE("the dead letter cannot be published for a while") {
    const auto busy = std::make_shared<test_bank>();
    busy->refusals = 99;
    // [failing publishes]
    const waybill::memory::server server;
    waybill::test_app tb{make_app(no_bank, server), waybill::with_state<bank>(busy)};
    server.fail_publishes("refunds.dead", 2);
    tb.publish("refunds", refund{.id = 7, .cents = 1250});
    tb.advance(70s);
    CHECK(tb.health().state == waybill::health_state::degraded);
    CHECK(server.unsettled() == 1);  // the original is kept
    tb.advance(1s);
    CHECK(tb.published("refunds.dead") == 1);
    CHECK(tb.calls(process_refund) == 3);  // and the handler did not run again
    // [/failing publishes]
    CHECK(tb.health().state == waybill::health_state::running);
}

TEST_CASE("a confirmation is lost") {
    // [lost confirmation]
    const waybill::memory::server server;
    const auto calm = std::make_shared<test_bank>();
    waybill::test_app tb{make_app(no_bank, server), waybill::with_state<bank>(calm)};
    server.fail_publishes("refunds.done", 1, waybill::memory::publish_fault::taken_and_lost);
    tb.publish("refunds", refund{.id = 7, .cents = 1250});
    CHECK(tb.calls(process_refund) == 2);
    CHECK(server.queued("refunds.done") == 2);  // nothing lost, something twice
    // [/lost confirmation]
}

TEST_CASE("the connection drops while a handler runs") {
    // [drops]
    struct dropping : test_bank {
        waybill::memory::server server;
        bool pay(std::uint64_t id, std::uint64_t cents) override {
            if (asked[id] == 0) server.drop_connections();
            return test_bank::pay(id, cents);
        }
    };
    const auto tunnel = std::make_shared<dropping>();
    waybill::test_app tb{make_app(no_bank, tunnel->server), waybill::with_state<bank>(tunnel)};
    tb.publish("refunds", refund{.id = 7, .cents = 1250});
    CHECK(tb.calls(process_refund) == 2);  // the first answer came too late
    CHECK(tb.published("refunds.done") == 1);
    // [/drops]
}

TEST_CASE("a restart finds what waits") {
    const auto busy = std::make_shared<test_bank>();
    busy->refusals = 1;
    // [restart]
    const waybill::memory::server server{{.outlives_crash = true}};
    std::shared_ptr<waybill::manual_clock> time;
    {
        waybill::test_app before{make_app(no_bank, server), waybill::with_state<bank>(busy)};
        time = before.time();
        before.publish("refunds", refund{.id = 7, .cents = 1250});
        server.crash();  // or before.stop()
    }
    waybill::test_app tb{make_app(no_bank, server), waybill::with_state<bank>(busy),
                         waybill::with_clock(time)};
    tb.advance(10s);
    CHECK(tb.calls(process_refund)[0].attempt == 2);
    // [/restart]
}

TEST_CASE("both kinds of broker") {
    // [both]
    using waybill::memory::counting;
    for (const auto counts : {counting::failures, counting::none}) {
        const bool delays = counts == counting::failures;
        const waybill::memory::server server{{.counts = counts, .delays = delays}};
        const auto busy = std::make_shared<test_bank>();
        busy->refusals = 99;
        waybill::test_app tb{make_app(no_bank, server), waybill::with_state<bank>(busy)};
        tb.publish("refunds", refund{.id = 7, .cents = 1250});
        tb.advance(70s);
        CHECK(tb.published("refunds.dead") == 1);
    }
    // [/both]
}

TEST_CASE("a settlement that the test uses") {
    // [settlement]
    std::vector<waybill::settlement> kept;
    waybill::app app{"refunds", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("refunds"),
                   [&](waybill::settlement s) { kept.push_back(std::move(s)); });
    waybill::test_app tb{std::move(app)};
    tb.publish("refunds", refund{.id = 7, .cents = 1250});
    std::move(kept.back()).ack();
    tb.rest();
    CHECK(tb.outcomes("refunds") == std::vector{waybill::ack()});
    // [/settlement]
}

TEST_CASE("the wiring") {
    // [wiring]
    CHECK(make_app(no_bank).check().empty());
    // [/wiring]
}
