#include "service.hpp"

#include "scripted_gateway.hpp"
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

using namespace std::chrono_literals;
using payments::answer;
using payments::paid;
using payments::payment_request;
using answers = std::map<std::uint64_t, std::vector<answer>>;

namespace {

/// The service on a paused clock, in either form of its handler: a test that makes one runs twice.
struct desk {
    explicit desk(const answers& by_order = {}, waybill::memory::options how = {})
        : server{how},
          app{payments::make_app(std::make_shared<payments::scripted_gateway>(by_order),
                                 payments::routes(either_form()), server)} {}

    static payments::form either_form() {
        auto chosen = payments::form::function;
        SUBCASE("as a function") { chosen = payments::form::function; }
        SUBCASE("as a class") { chosen = payments::form::object; }
        return chosen;
    }
    [[nodiscard]] std::vector<std::uint64_t> paid_orders() const {
        std::vector<std::uint64_t> orders;
        for (const auto& each : app.published(paid::address)) {
            orders.push_back(each.as<paid>(waybill::codecs::cbor()).order);
        }
        return orders;
    }
    [[nodiscard]] auto dead() const { return app.published(payments::dead_letter); }
    [[nodiscard]] bool is_at_rest() const {
        return server.queued(payment_request::address) == 0 && server.unsettled() == 0 &&
               server.waiting() == 0;
    }

    waybill::memory::server server;
    waybill::test_app app;
};

payment_request order(std::uint64_t number) {
    return {number, "customer-0017", {{"desk-lamp", 2, 4590}, {"door-mat", 1, 1990}}};
}

waybill::headers without_ours(const waybill::headers& all) {
    waybill::headers rest;
    for (const auto& each : all) {
        if (!each.name.starts_with("waybill-")) rest.append(each.name, each.value);
    }
    return rest;
}

std::string cbor_of(const payment_request& request) {
    const auto bytes = waybill::encode(waybill::codecs::cbor(), request);
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

/// What the service logs while this lives.
class captured_log {
public:
    captured_log() : before_{spdlog::default_logger()} {
        spdlog::set_default_logger(std::make_shared<spdlog::logger>(
            "test", std::make_shared<spdlog::sinks::ostream_sink_st>(text_)));
    }
    ~captured_log() { spdlog::set_default_logger(before_); }
    captured_log(const captured_log&) = delete;
    captured_log& operator=(const captured_log&) = delete;
    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> before_;
};

}  // namespace

TEST_CASE("the wiring is sound") {
    const auto provider = std::make_shared<payments::scripted_gateway>();
    CHECK(payments::make_app(provider, payments::routes(payments::form::function)).check().empty());
    CHECK(payments::make_app(provider, payments::routes(payments::form::object)).check().empty());
}

TEST_CASE("an accepted order is answered with paid, in CBOR") {
    desk at;
    at.app.publish(order(1001));
    CHECK(at.app.outcomes("charge") == std::vector{waybill::ack()});
    REQUIRE(at.app.published("payments.paid") == 1);
    const auto reply = at.app.published("payments.paid")[0];
    const auto wanted =
        paid{1001, "customer-0017", {{"desk-lamp", 2, 4590}, {"door-mat", 1, 1990}}};
    CHECK(reply.as<paid>(waybill::codecs::cbor()) == wanted);
    const auto bytes = waybill::encode(waybill::codecs::cbor(), wanted);
    REQUIRE(bytes);
    CHECK(reply.payload == *bytes);
    CHECK(at.dead().empty());
    CHECK(at.is_at_rest());
}

TEST_CASE("a request is read from CBOR") {
    desk at;
    at.app.publish_raw(payment_request::address, cbor_of(order(1002)));
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1002});
}

TEST_CASE("the calls of either form can be told apart") {
    const auto provider = std::make_shared<payments::scripted_gateway>();
    waybill::test_app function{payments::make_app(provider)};
    function.publish(order(1));
    CHECK(function.calls(payments::charge) == 1);
    waybill::test_app object{
        payments::make_app(provider, payments::routes(payments::form::object))};
    object.publish(order(1));
    CHECK(object.calls<payments::charger>() == 1);
}

TEST_CASE("the provider comes from the app's state") {
    class refusing final : public payments::gateway {
    public:
        answer charge(const payment_request&) override {
            ++asked;
            return answer::declined;
        }
        int asked = 0;
    };
    const captured_log log;
    const auto provider = std::make_shared<refusing>();
    const auto form = desk::either_form();
    waybill::test_app app{
        payments::make_app(std::make_shared<payments::scripted_gateway>(), payments::routes(form)),
        waybill::with_state(std::shared_ptr<payments::gateway>{provider})};
    app.publish(order(1));
    CHECK(provider->asked == 1);
    CHECK(app.outcomes("charge") == std::vector{waybill::drop()});
}

TEST_CASE("busy: nothing for a second, and then the redelivery") {
    desk at{{{1001, {answer::busy, answer::ok}}}};
    at.app.publish(order(1001));
    CHECK(at.app.outcomes("charge") == std::vector{waybill::retry_after(1s)});
    at.app.advance(1s - 1ns);
    CHECK(at.app.calls("charge") == 1);
    CHECK(at.paid_orders().empty());
    at.app.advance(1ns);
    REQUIRE(at.app.calls("charge") == 2);
    CHECK(at.app.calls("charge")[1].at == 1s);
    CHECK(at.app.calls("charge")[1].attempt == 2);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1001});
}

TEST_CASE("a wait does not hold up the deliveries behind it") {
    desk at{{{1001, {answer::busy, answer::ok}}}};
    for (std::uint64_t number = 1001; number <= 1004; ++number) at.app.publish(order(number));
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1002, 1003, 1004});
    CHECK(at.app.now() == 0s);
    at.app.advance(400ms);
    at.app.publish(order(1005));
    CHECK(at.paid_orders().back() == 1005);
    at.app.advance(600ms);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1002, 1003, 1004, 1005, 1001});
}

TEST_CASE("unavailable: again at once") {
    desk at{{{1001, {answer::unavailable, answer::unavailable, answer::ok}}}};
    at.app.publish(order(1001));
    CHECK(at.app.outcomes("charge") ==
          std::vector{waybill::retry(), waybill::retry(), waybill::ack()});
    CHECK(at.app.now() == 0s);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1001});
}

TEST_CASE("declined: dropped with a warning, never in the dead letter") {
    const captured_log log;
    desk at{{{1001, {answer::declined}}}};
    at.app.publish(order(1001));
    at.app.advance(1h);
    CHECK(at.app.outcomes("charge") == std::vector{waybill::drop()});
    CHECK(at.paid_orders().empty());
    CHECK(at.dead().empty());
    CHECK(at.is_at_rest());
    CHECK(log.text().find("[warning]") != std::string::npos);
    CHECK(log.text().find("card declined, payment dropped order=1001") != std::string::npos);
}

TEST_CASE("declined at the fifth delivery is dropped as well") {
    const captured_log log;
    const auto down = answer::unavailable;
    desk at{{{1001, {down, down, down, down, answer::declined}}}};
    at.app.publish(order(1001));
    CHECK(at.app.calls("charge") == 5);
    CHECK(at.dead().empty());
    CHECK(at.is_at_rest());
}

TEST_CASE("five deliveries are all there are, the first included") {
    SUBCASE("busy") {
        desk at{{{1001, {answer::busy}}}};
        at.app.publish(order(1001));
        at.app.advance(4s - 1ns);
        CHECK(at.app.calls("charge") == 4);
        CHECK(at.dead().empty());
        at.app.advance(1ns);
        CHECK(at.app.calls("charge") == 5);
        REQUIRE(at.dead() == 1);
        CHECK(at.dead()[0].at == 4s);
        at.app.advance(1h);
        CHECK(at.app.calls("charge") == 5);
        CHECK(at.dead() == 1);
        CHECK(at.is_at_rest());
    }
    SUBCASE("unavailable") {
        desk at{{{1001, {answer::unavailable}}}};
        at.app.publish(order(1001));
        CHECK(at.app.calls("charge") == 5);
        CHECK(at.dead() == 1);
        CHECK(at.app.now() == 0s);
        CHECK(at.is_at_rest());
    }
    SUBCASE("by turns") {
        const auto busy = answer::busy;
        const auto down = answer::unavailable;
        desk at{{{1001, {busy, down, busy, down, busy}}}};
        at.app.publish(order(1001));
        at.app.advance(2s);
        CHECK(at.app.outcomes("charge") == std::vector{waybill::retry_after(1s), waybill::retry(),
                                                       waybill::retry_after(1s), waybill::retry(),
                                                       waybill::retry_after(1s)});
        CHECK(at.dead() == 1);
        at.app.advance(1h);
        CHECK(at.app.calls("charge") == 5);
        CHECK(at.paid_orders().empty());
    }
}

TEST_CASE("a fifth delivery that succeeds is paid") {
    const auto busy = answer::busy;
    desk at{{{1001, {busy, busy, busy, busy, answer::ok}}}};
    at.app.publish(order(1001));
    at.app.advance(4s);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1001});
    CHECK(at.dead().empty());
}

TEST_CASE("a dead letter has the payload and the headers as they arrived") {
    // With and without a broker that counts and delays: what is added differs, what arrived not.
    waybill::memory::options how;
    SUBCASE("the broker redelivers") {}
    SUBCASE("retries are copies") {
        how = {.counts = waybill::memory::counting::none, .delays = false};
    }
    desk at{{{1001, {answer::busy, answer::unavailable}}}, how};
    const std::array bytes{std::byte{0}, std::byte{0xff}};
    const waybill::headers arrived{
        {"trace", "abc"},     {"Trace", "second"},
        {"trace", "abc"},     {"empty", ""},
        {"priority", 7},      {"size", 18446744073709551615U},
        {"sampled", true},    {"share", 0.25},
        {"nothing", nullptr}, {"key", std::span<const std::byte>{bytes}}};
    const auto payload = cbor_of(order(1001));
    at.app.publish_raw(payment_request::address, payload, arrived);
    at.app.advance(10s);
    REQUIRE(at.dead() == 1);
    const auto letter = at.dead()[0];
    CHECK(letter.text() == payload);
    CHECK(without_ours(letter.with) == arrived);
    CHECK(letter.with.text("waybill-retry-count") == "5");
    CHECK(letter.with.text("waybill-dead-reason") == "attempts");
    CHECK(letter.with.text("waybill-dead-attempts") == "5");
    CHECK(letter.with.text("waybill-dead-source") == "payments.requested");
    CHECK(letter.with.text("waybill-dead-handler") == "charge");
}

TEST_CASE("a payload that is no request goes to the dead letter unseen") {
    desk at;
    std::string payload;
    SUBCASE("text") { payload = R"({"order": 1001, "customer": "customer-0017")"; }
    SUBCASE("empty") {}
    SUBCASE("cut short") { payload = cbor_of(order(1001)).substr(0, 20); }
    SUBCASE("more behind it") { payload = cbor_of(order(1001)) + '\0'; }
    at.app.publish_raw(payment_request::address, payload, {{"trace", "abc"}});
    CHECK(at.app.calls("charge") == 0);
    REQUIRE(at.dead() == 1);
    const auto letter = at.dead()[0];
    CHECK(letter.text() == payload);
    CHECK(without_ours(letter.with) == waybill::headers{{"trace", "abc"}});
    CHECK(letter.with.text("waybill-dead-reason") == "decode");
    CHECK(letter.with.text("waybill-dead-attempts") == "1");
    CHECK(letter.with.contains("waybill-dead-error"));
    CHECK(at.is_at_rest());
}

TEST_CASE("every message ends where its answers send it") {
    const captured_log log;
    const auto busy = answer::busy;
    const auto down = answer::unavailable;
    desk at{{{1, {answer::ok}},
             {2, {busy, answer::ok}},
             {3, {down, answer::ok}},
             {4, {answer::declined}},
             {5, {busy, down, answer::declined}},
             {6, {busy}},
             {7, {down}},
             {8, {busy, down, busy, answer::ok}}}};
    for (std::uint64_t number = 1; number <= 8; ++number) at.app.publish(order(number));
    at.app.publish_raw(payment_request::address, "not a request");
    at.app.advance(1min);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1, 3, 2, 8});
    REQUIRE(at.dead() == 3);
    CHECK(at.dead()[0].as<payment_request>(waybill::codecs::cbor()) == order(7));
    CHECK(at.dead()[1].text() == "not a request");
    CHECK(at.dead()[2].as<payment_request>(waybill::codecs::cbor()) == order(6));
    CHECK(at.is_at_rest());
}

TEST_CASE("a broker that neither counts nor delays gives the same ends") {
    const captured_log log;
    const auto busy = answer::busy;
    desk at{{{1, {busy, answer::ok}}, {2, {busy}}, {3, {answer::declined}}},
            {.counts = waybill::memory::counting::none, .delays = false}};
    for (std::uint64_t number = 1; number <= 3; ++number) at.app.publish(order(number));
    at.app.advance(1s - 1ns);
    CHECK(at.paid_orders().empty());
    at.app.advance(1ns);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1});
    at.app.advance(3s);
    CHECK(at.app.calls("charge") == 8);
    CHECK(at.dead() == 1);
}

TEST_CASE("a reply that the broker does not take is tried again with the request") {
    desk at;
    at.server.fail_publishes(paid::address, 1);
    at.app.publish(order(1001));
    CHECK(at.app.calls("charge") == 2);
    CHECK(at.paid_orders() == std::vector<std::uint64_t>{1001});
    CHECK(at.is_at_rest());
}
