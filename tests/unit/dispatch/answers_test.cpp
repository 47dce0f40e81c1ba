// What a handler may return, throw and stage, and what comes of it.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace answers {

struct order {
    std::uint64_t id;
};
struct paid {
    static constexpr std::string_view address = "orders.paid";
    std::uint64_t id;
};
struct invoice {
    double cents;
};
struct customer {
    std::string address;  // a field like any
};
struct email {
    static constexpr std::string_view address = "emails";
    std::string to;
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

waybill::app with(auto handler, auto... more) {
    waybill::app app{"shop", "1"};
    auto& wired = app.broker(waybill::memory::broker{})
                      .subscribe(waybill::memory::queue("orders"), std::move(handler));
    wired.max_attempts(3).dead_letter("dead");
    (more(wired), ...);
    return app;
}

std::vector<waybill::outcome> only(waybill::outcome answer) { return {answer}; }

// ---- returned ----------------------------------------------------------------------------------

TEST_CASE("a handler that returns nothing acks") {
    waybill::test_app tb{with([](const order&) {})};
    tb.publish("orders", order{1});
    CHECK(tb.outcomes("orders") == only(waybill::ack()));
}

TEST_CASE("a reply is published to the address of its type, then the delivery is acked") {
    waybill::test_app tb{with([](const order& o) -> waybill::reply<paid> { return paid{o.id}; })};
    tb.publish("orders", order{5});
    CHECK(tb.outcomes("orders") == only(waybill::ack()));
    REQUIRE(tb.published("orders.paid") == 1);
    CHECK(tb.published("orders.paid")[0].text() == R"({"id":5})");
    CHECK(tb.published("orders.paid")[0].with.empty());
}

TEST_CASE("reply_to takes the place of the reply type's own address") {
    waybill::test_app tb{with([](const order& o) -> waybill::reply<paid> { return paid{o.id}; },
                              [](auto& wired) { wired.reply_to("elsewhere"); })};
    tb.publish("orders", order{5});
    CHECK(tb.published("orders.paid").empty());
    CHECK(tb.published("elsewhere") == 1);
}

TEST_CASE("a reply type may have a field that is called address") {
    waybill::test_app tb{
        with([](const order&) -> waybill::reply<customer> { return customer{"Main Street 1"}; },
             [](waybill::subscription& wired) { wired.reply_to("customers"); })};
    tb.publish("orders", order{5});
    REQUIRE(tb.published("customers") == 1);
    CHECK(tb.published("customers")[0].text() == R"({"address":"Main Street 1"})");
}

TEST_CASE("a reply that is an outcome publishes nothing") {
    waybill::test_app tb{
        with([](const order&) -> waybill::reply<paid> { return waybill::retry_after(5s); })};
    tb.publish("orders", order{5});
    CHECK(tb.outcomes("orders") == only(waybill::retry_after(5s)));
    CHECK(tb.published("orders.paid").empty());
}

TEST_CASE("a reply that cannot be encoded is an exception of the handler") {
    waybill::test_app tb{with(
        [](const order&) -> waybill::reply<invoice> { return invoice{nan}; },
        [](auto& wired) { wired.reply_to("invoices").on_exception(waybill::to_dead_letter); })};
    tb.publish("orders", order{5});
    CHECK(tb.published("invoices").empty());
    REQUIRE(tb.published("dead") == 1);
    CHECK(tb.published("dead")[0].with.text("waybill-dead-reason") == "exception");
    CHECK(tb.calls("orders")[0].error.find("invoices") != std::string::npos);
}

TEST_CASE("a reply that its broker does not take is a failure of the handler, which runs again") {
    const waybill::memory::server server;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"),
                   [](const order& o) -> waybill::reply<paid> { return paid{o.id}; });
    waybill::test_app tb{std::move(app)};
    server.fail_publishes("orders.paid", 1);
    tb.publish("orders", order{5});
    CHECK(tb.outcomes("orders") == std::vector{waybill::retry(), waybill::ack()});
    CHECK(tb.published("orders.paid") == 1);
}

// ---- thrown ------------------------------------------------------------------------------------

struct not_an_exception {};

TEST_CASE("whatever is thrown fails the delivery, and the next is handled") {
    waybill::test_app tb{with(
        [](const order& o) {
            if (o.id == 1) throw std::runtime_error{"no provider"};
            if (o.id == 2) throw 42;
            if (o.id == 3) throw not_an_exception{};
        },
        [](auto& wired) { wired.on_exception(waybill::drop()); })};
    for (std::uint64_t id = 1; id <= 4; ++id) tb.publish("orders", order{id});
    CHECK(tb.outcomes("orders") ==
          std::vector{waybill::drop(), waybill::drop(), waybill::drop(), waybill::ack()});
    CHECK(tb.calls("orders")[0].error == "no provider");
    CHECK(tb.calls("orders")[1].error ==
          "the handler threw something that is not a std::exception");
    CHECK(tb.calls("orders")[2].error == tb.calls("orders")[1].error);
    CHECK(tb.calls("orders")[3].error.empty());
}

TEST_CASE("an exception is a retry unless the declaration says otherwise, and counts") {
    waybill::test_app tb{with([](const order&) { throw std::runtime_error{"no provider"}; })};
    tb.publish("orders", order{1});
    CHECK(tb.calls("orders") == 3);
    REQUIRE(tb.published("dead") == 1);
    CHECK(tb.published("dead")[0].with.text("waybill-dead-reason") == "attempts");
    CHECK(tb.published("dead")[0].with.text("waybill-dead-error") == "no provider");
}

// ---- staged ------------------------------------------------------------------------------------

TEST_CASE("what a handler publishes is sent before the ack, each type to its address, in order") {
    waybill::test_app tb{with(
        [](const order& o, waybill::out<invoice, email> out) {
            out.publish(email{"ada"});
            out.publish(invoice{1.5});
            out.publish(email{"bob " + std::to_string(o.id)});
        },
        [](auto& wired) { wired.template publish_to<invoice>("invoices"); })};
    tb.publish("orders", order{1});
    CHECK(tb.outcomes("orders") == only(waybill::ack()));
    REQUIRE(tb.published("emails") == 2);
    CHECK(tb.published("emails")[0].text() == R"({"to":"ada"})");
    CHECK(tb.published("emails")[1].text() == R"({"to":"bob 1"})");
    REQUIRE(tb.published("invoices") == 1);
    CHECK(tb.published("invoices")[0].text() == R"({"cents":1.5})");
}

TEST_CASE("several outs and a reply go to their own addresses") {
    waybill::test_app tb{with(
        [](waybill::out<invoice> first, const order& o,
           const waybill::out<email>& second) -> waybill::reply<paid> {
            first.publish(invoice{2});
            waybill::out<email> copy = second;
            copy.publish(email{"ada"});
            return paid{o.id};
        },
        [](auto& wired) {
            wired.template publish_to<invoice>("invoices").template publish_to<email>("mails");
        })};
    tb.publish("orders", order{1});
    CHECK(tb.published("invoices") == 1);
    CHECK(tb.published("mails") == 1);
    CHECK(tb.published("emails").empty());
    CHECK(tb.published("orders.paid") == 1);
}

TEST_CASE("context::publish sends to an address that only the handler knows") {
    waybill::test_app tb{with([](const order& o, waybill::context& about) {
        about.publish("tenant." + std::to_string(o.id), email{"ada"});
        const std::string raw = "as it is";
        about.publish("raw", std::as_bytes(std::span{raw}));
    })};
    tb.publish("orders", order{9});
    CHECK(tb.published("tenant.9")[0].text() == R"({"to":"ada"})");
    CHECK(tb.published("raw")[0].text() == "as it is");
}

waybill::app with_ending(const std::function<waybill::outcome()>& end) {
    return with([end](const order& o, waybill::context& about, waybill::attempt n,
                      waybill::out<email> out) {
        out.publish(email{"first"});
        about.publish("emails", email{"second"});
        if (o.id == 1 && n == 1) return end();
        return waybill::ack();
    });
}

TEST_CASE("what was staged is thrown away when the answer is a retry") {
    waybill::test_app tb{with_ending([] { return waybill::retry(); })};
    tb.publish("orders", order{1});
    CHECK(tb.calls("orders") == 2);
    CHECK(tb.published("emails") == 2);
}

TEST_CASE("what was staged is thrown away when the answer is a delay") {
    waybill::test_app tb{with_ending([] { return waybill::retry_after(1s); })};
    tb.publish("orders", order{1});
    CHECK(tb.published("emails").empty());
    tb.advance(1s);
    CHECK(tb.published("emails") == 2);
}

TEST_CASE("what was staged is thrown away when the answer is drop, and is not sent by the next") {
    waybill::test_app tb{with_ending([] { return waybill::drop(); })};
    tb.publish("orders", order{1});
    CHECK(tb.published("emails").empty());
    tb.publish("orders", order{2});
    CHECK(tb.published("emails") == 2);
}

TEST_CASE("what was staged is thrown away when the handler throws") {
    waybill::test_app tb{with_ending([]() -> waybill::outcome { throw 1; })};
    tb.publish("orders", order{1});
    CHECK(tb.calls("orders") == 2);
    CHECK(tb.published("emails") == 2);
}

TEST_CASE("a staged value that cannot be encoded fails the delivery, and nothing of it is sent") {
    waybill::test_app tb{with(
        [](const order&, waybill::out<email, invoice> out) {
            out.publish(email{"ada"});
            out.publish(invoice{nan});
            out.publish(email{"bob"});
        },
        [](auto& wired) {
            wired.template publish_to<invoice>("invoices").on_exception(waybill::to_dead_letter);
        })};
    tb.publish("orders", order{1});
    CHECK(tb.published("emails").empty());
    CHECK(tb.published("invoices").empty());
    CHECK(tb.published("dead")[0].with.text("waybill-dead-reason") == "exception");
}

TEST_CASE("a context::publish that cannot be encoded fails the delivery") {
    waybill::test_app tb{with(
        [](const order& o, waybill::context& about) {
            about.publish("invoices", invoice{o.id == 1 ? nan : 1.0});
        },
        [](auto& wired) { wired.on_exception(waybill::drop()); })};
    tb.publish("orders", order{1});
    tb.publish("orders", order{2});
    CHECK(tb.outcomes("orders") == std::vector{waybill::drop(), waybill::ack()});
    CHECK(tb.calls("orders")[0].error.find("invoices") != std::string::npos);
    CHECK(tb.published("invoices") == 1);
}

TEST_CASE("one staged message that the broker does not take fails the delivery as a whole") {
    const waybill::memory::server server;
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("orders"), [](const order&, waybill::out<email> out) {
            out.publish(email{"ada"});
            out.publish(email{"bob"});
        });
    waybill::test_app tb{std::move(app)};
    server.fail_publishes("emails", 1);
    tb.publish("orders", order{1});
    CHECK(tb.outcomes("orders") == std::vector{waybill::retry(), waybill::ack()});
    CHECK(tb.calls("orders")[0].error.find("emails") != std::string::npos);
    // At least once: the one that was taken the first time is there twice.
    CHECK(server.queued("emails") == 3);
}

// ---- codecs of the user ------------------------------------------------------------------------

/// Reads and writes nothing, but throws.
struct throwing_codec final : waybill::codec_interface {
    explicit throwing_codec(bool std_exception) : throws_std{std_exception} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "throwing"; }
    [[nodiscard]] std::string_view content_type() const noexcept override { return "none"; }
    [[nodiscard]] bool supports(const waybill::value_type&) const noexcept override { return true; }
    std::expected<void, waybill::error> decode(const waybill::value_type&, void*,
                                               std::span<const std::byte>,
                                               waybill::arena&) const override {
        fail();
    }
    std::expected<void, waybill::error> encode(const waybill::value_type&, const void*,
                                               waybill::byte_buffer&) const override {
        fail();
    }
    [[noreturn]] void fail() const {
        if (throws_std) throw std::bad_alloc{};
        throw 42;
    }

    bool throws_std;
};

TEST_CASE("a codec that throws while it reads is a failure of the handler, not of the process") {
    for (const bool throws_std : {true, false}) {
        CAPTURE(throws_std);
        waybill::test_app tb{with([](const order&) {},
                                  [&](waybill::subscription& reads) {
                                      reads.codec(std::make_shared<throwing_codec>(throws_std));
                                  })};
        tb.publish_raw("orders", "x");
        CHECK(tb.calls("orders").empty());
        const auto dead = tb.published("dead");
        REQUIRE(dead == 1);
        const auto& with = dead[0].with;
        CHECK(with.text("waybill-dead-reason") == "attempts");
        CHECK(with.text("waybill-dead-error")->starts_with("the codec threw"));
    }
}

TEST_CASE("a codec that throws while it writes a reply is a failure of the handler") {
    for (const bool throws_std : {true, false}) {
        CAPTURE(throws_std);
        waybill::test_app tb{
            with([](std::span<const std::byte>) -> waybill::reply<paid> { return paid{1}; },
                 [&](waybill::subscription& reads) {
                     reads.codec(std::make_shared<throwing_codec>(throws_std));
                 })};
        tb.publish_raw("orders", "x");
        CHECK(tb.calls("orders") == 3);
        CHECK(tb.published("orders.paid").empty());
        CHECK(tb.published("dead") == 1);
    }
}

}  // namespace answers
