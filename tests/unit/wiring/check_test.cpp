// What `check` finds: each mistake alone, with its subscription and its fix; and all at once.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace checks {

struct order {
    std::uint64_t id;
};
struct paid {
    std::uint64_t id;
};
struct badly_addressed {
    static constexpr std::string_view address = "all.*";
    std::uint64_t id;
};
struct provider {};
struct prices {};

void handle(const order&) {}
waybill::reply<paid> answer(const order& o) { return paid{o.id}; }

waybill::app shop() { return {"shop", "1"}; }

/// The problems of an app with one subscription, named "orders", that `wire` changes.
template <class Handler>
std::vector<waybill::error> problems_of(Handler handler,
                                        const std::function<void(waybill::subscription&)>& wire) {
    auto app = shop();
    wire(app.broker(waybill::memory::broker{})
             .subscribe(waybill::memory::queue("orders"), std::move(handler)));
    return app.check();
}

/// There is exactly one problem: that one, of the subscription "orders", and it says what to do.
void is_only(const std::vector<waybill::error>& problems, std::string_view what,
             std::string_view fix, std::string_view where = "subscription orders") {
    CAPTURE(problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].code == waybill::errc::wiring);
    CHECK(problems[0].where == where);
    CHECK(problems[0].what.find(what) != std::string::npos);
    CHECK(problems[0].fix.find(fix) != std::string::npos);
}

void one_problem(const std::function<void(waybill::subscription&)>& wire, std::string_view what,
                 std::string_view fix) {
    is_only(problems_of(handle, wire), what, fix);
}

}  // namespace checks

namespace doctest {
template <>
struct StringMaker<std::vector<waybill::error>> {
    static String convert(const std::vector<waybill::error>& all) {
        std::string text;
        for (const auto& each : all) text += each.message() + '\n';
        return text.c_str();
    }
};
}  // namespace doctest

namespace checks {

TEST_CASE("sound wiring has no problem") {
    CHECK(problems_of(handle, [](auto& wired) {
              wired.max_attempts(5).dead_letter("orders.dead").concurrency(4);
          }).empty());
    CHECK(shop().check().empty());
}

TEST_CASE("a cap is 1 or more") {
    for (const std::int64_t cap : {0, -1, -5}) {
        one_problem([&](auto& wired) { wired.max_attempts(cap).dead_letter("dead"); },
                    "max_attempts(" + std::to_string(cap) + ")", "give 1 or more");
    }
    one_problem([](auto& wired) { wired.max_attempts(1'000'000'001).dead_letter("dead"); },
                "max_attempts(1000000001)", "give 1 or more");
}

TEST_CASE("max_redeliveries and the dead letter's budget have their limits") {
    one_problem([](auto& wired) { wired.max_redeliveries(0); }, "max_redeliveries(0)",
                "give 1 or more");
    one_problem([](auto& wired) { wired.dead_letter_budget(-1); }, "dead_letter_budget(-1)",
                "give 0 to 1048576 bytes");
}

TEST_CASE("a subscription has a lane or more, and an inline one just one") {
    one_problem([](auto& wired) { wired.concurrency(0); }, "concurrency(0)", "give 1");
    one_problem([](auto& wired) { wired.concurrency(-3); }, "concurrency(-3)", "give 1");
    one_problem([](auto& wired) { wired.inline_handler().concurrency(2); }, "concurrency(2)",
                "leave one of the two out");
}

TEST_CASE("a back-off has delays above zero that do not shrink") {
    one_problem([](auto& wired) { wired.retry_backoff(waybill::backoff::fixed(0s)); }, "",
                "retry_backoff");
    one_problem([](auto& wired) { wired.retry_backoff(waybill::backoff::list({1s, -1s})); }, "",
                "retry_backoff");
    one_problem([](auto& wired) { wired.retry_backoff(waybill::backoff::exponential(10s, 1s)); },
                "", "retry_backoff");
}

TEST_CASE("a dead letter that its own source reads would come back for ever") {
    one_problem([](auto& wired) { wired.max_attempts(5).dead_letter("orders"); },
                "reads its dead letter \"orders\"", "does not read");
}

TEST_CASE("a dead letter that its own pattern reads would come back for ever") {
    auto app = shop();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders.>"), handle)
        .max_attempts(5)
        .dead_letter("orders.eu.dead");
    is_only(app.check(), "source \"orders.>\" reads its dead letter \"orders.eu.dead\"",
            "does not read", "subscription orders.>");
}

TEST_CASE("a ring of two dead letters is one problem that names both") {
    auto app = shop();
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("a"), handle).max_attempts(2).dead_letter("b");
    broker.subscribe(waybill::memory::queue("b"), handle).max_attempts(2).dead_letter("a");
    is_only(app.check(), "a -> b -> a", "let one of them end", "subscription a");
}

TEST_CASE("a ring of three dead letters is found behind a subscription that leads into it") {
    auto app = shop();
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("front"), handle).dead_letter("a");
    broker.subscribe(waybill::memory::queue("a"), handle).dead_letter("b");
    broker.subscribe(waybill::memory::queue("b"), handle).dead_letter("c");
    broker.subscribe(waybill::memory::queue("c"), handle).dead_letter("a");
    is_only(app.check(), "a -> b -> c -> a", "let one of them end", "subscription a");
}

TEST_CASE("two servers do not read each other's dead letters") {
    auto app = shop();
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("a"), handle)
        .dead_letter("b");
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("b"), handle)
        .dead_letter("a");
    CHECK(app.check().empty());
}

TEST_CASE("a ring of dead letters over two brokers of one server is found") {
    auto app = shop();
    const waybill::memory::server server;
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("a"), handle)
        .dead_letter("b");
    app.broker(waybill::memory::broker{server})
        .subscribe(waybill::memory::queue("b"), handle)
        .dead_letter("a");
    is_only(app.check(), "a -> b -> a", "let one of them end", "subscription a");
}

TEST_CASE("a chain of dead letters that ends is sound, and so is a dead letter that is read") {
    auto app = shop();
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("a"), handle).max_attempts(2).dead_letter("b");
    broker.subscribe(waybill::memory::queue("b"), handle).max_attempts(2).dead_letter("c");
    broker.subscribe(waybill::memory::queue("c"), handle);
    CHECK(app.check().empty());
}

TEST_CASE("nothing is published to a pattern") {
    one_problem([](auto& wired) { wired.max_attempts(5).dead_letter("dead.*"); },
                "dead_letter(\"dead.*\") is nothing to publish to", "one address");
    one_problem([](auto& wired) { wired.retry_to("again.>"); },
                "retry_to(\"again.>\") is nothing to publish to", "one address");
    one_problem([](auto& wired) { wired.max_attempts(5).dead_letter(""); }, "the name is empty",
                "one address");
}

TEST_CASE("a reply goes to one address, which is not a pattern") {
    is_only(problems_of(answer, [](auto& wired) { wired.reply_to("paid.*"); }),
            "reply_to(\"paid.*\")", "one address");
    is_only(
        problems_of(
            [](const order& o) -> waybill::reply<badly_addressed> { return badly_addressed{o.id}; },
            [](auto&) {}),
        "\"all.*\"", "one address");
}

TEST_CASE("a published type goes to one address, which is not a pattern") {
    const auto publishes = [](const order&, waybill::out<paid>) {};
    is_only(problems_of(publishes, [](auto& wired) { wired.template publish_to<paid>("p.>"); }),
            "\"p.>\"", "one address");
    is_only(problems_of([](const order&, waybill::out<badly_addressed>) {}, [](auto&) {}),
            "\"all.*\"", "one address");
}

TEST_CASE("two subscriptions of one name are one problem") {
    auto app = shop();
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("orders"), handle);
    broker.subscribe(waybill::memory::fan_out("orders"), handle);
    broker.subscribe(waybill::memory::queue("elsewhere"), handle).name("orders");
    is_only(app.check(), "3 subscriptions have this name", "name(...)");
}

TEST_CASE("a codec must be able to read and write the handler's types") {
    one_problem([](auto& wired) { wired.codec(waybill::codecs::text()); },
                "the codec text cannot decode", "codecs::json()");
    const auto replies = [](const std::string&) -> waybill::reply<paid> { return paid{1}; };
    is_only(problems_of(replies,
                        [](auto& wired) { wired.codec(waybill::codecs::text()).reply_to("paid"); }),
            "the codec text cannot encode", "codecs::json()");
}

TEST_CASE("a reply has an address") {
    is_only(problems_of(answer, [](auto&) {}), "has no address", "declare reply_to(\"...\")");
}

TEST_CASE("each type that a handler publishes has an address") {
    is_only(problems_of([](const order&, waybill::out<paid>) {}, [](auto&) {}), "has no address",
            "publish_to<");
}

TEST_CASE("an address for what the handler never publishes is a mistake") {
    one_problem([](auto& wired) { wired.reply_to("paid"); }, "reply_to(\"paid\") is declared",
                "leave reply_to out");
    one_problem([](auto& wired) { wired.template publish_to<paid>("paid"); },
                "(\"paid\") is declared", "leave publish_to out");
}

TEST_CASE("a state that nothing makes is missing, once for each type") {
    const auto wants = [](waybill::state<provider>, waybill::state<prices>) {};
    const auto problems = problems_of(wants, [](auto&) {});
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].what.find("provider>, and nothing makes one") != std::string::npos);
    CHECK(problems[0].fix.find("app.on_startup(") != std::string::npos);
    CHECK(problems[1].what.find("prices>") != std::string::npos);
}

TEST_CASE("two makers of one type of state are a problem of the app") {
    auto app = shop();
    app.on_startup([] { return provider{}; });
    app.on_startup([] { return std::make_shared<provider>(); });
    is_only(app.check(), "more than once", "once", "app shop");
}

TEST_CASE("an app has a number of workers, a codec, a clock and a limit for its stop") {
    for (const std::int64_t workers : {0, -2, 4097}) {
        auto app = shop();
        app.workers(workers);
        is_only(app.check(), "workers(" + std::to_string(workers) + ")", "1 to 4096", "app shop");
    }
    auto app = shop();
    app.codec(nullptr).time(nullptr).stop_limit(-1s);
    CHECK(app.check().size() == 3);
}

TEST_CASE("a policy that says dead letter needs one") {
    one_problem([](auto& wired) { wired.on_exception(waybill::to_dead_letter); },
                "on_exception says dead letter", "add dead_letter(");
    one_problem([](auto& wired) { wired.on_undecodable(waybill::to_dead_letter); },
                "on_undecodable says dead letter", "add dead_letter(");
}

TEST_CASE("a source of another transport cannot be read from this broker") {
    auto app = shop();
    app.broker(waybill::memory::broker{}).subscribe({"rabbitmq", "orders", false}, handle);
    is_only(app.check(), "made for the transport rabbitmq, but its broker is memory",
            "a broker of that transport");
}

TEST_CASE("a source is a name or a pattern") {
    for (const auto* name : {"", "orders.", "a..b", "ord*", "a.>.b"}) {
        auto app = shop();
        app.broker(waybill::memory::broker{})
            .subscribe(waybill::memory::queue(name), handle)
            .name("orders");
        is_only(app.check(), "cannot be read", "a source is words between dots");
    }
}

TEST_CASE("durable delays, once required, are not to be had of a broker in the process") {
    auto app = shop();
    app.require_durable_delays();
    app.broker(waybill::memory::broker{}).subscribe(waybill::memory::queue("orders"), handle);
    is_only(app.check(), "requires durable delays", "leave require_durable_delays() out");
    auto durable = shop();
    durable.require_durable_delays();
    durable.broker(waybill::memory::broker{{.outlives_crash = true}})
        .subscribe(waybill::memory::queue("orders"), handle);
    CHECK(durable.check().empty());
}

// ---- all at once -------------------------------------------------------------------------------

/// Seven mistakes in four places, one of them in a router.
waybill::app wrong_app() {
    auto app = shop();
    app.workers(0);
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("a"), answer).max_attempts(0).dead_letter("a");
    broker.subscribe(waybill::memory::queue("b"), handle).codec(waybill::codecs::text());
    waybill::router inner;
    inner.subscribe(waybill::memory::queue("c"), [](waybill::state<provider>) {}).concurrency(0);
    waybill::router outer;
    outer.mount(std::move(inner));
    broker.mount(std::move(outer));
    return app;
}

const std::vector<std::pair<std::string, std::string>> wrong_places = {
    {"app shop", "workers(0)"},          {"subscription a", "max_attempts(0)"},
    {"subscription a", "its reply"},     {"subscription a", "reads its dead letter"},
    {"subscription b", "cannot decode"}, {"subscription c", "concurrency(0)"},
    {"subscription c", "nothing makes"},
};

void has_every_mistake(const std::vector<waybill::error>& problems) {
    CAPTURE(problems);
    CHECK(problems.size() == wrong_places.size());
    for (const auto& [where, what] : wrong_places) {
        CAPTURE(what);
        CHECK(std::ranges::any_of(problems, [&](const auto& each) {
            return each.where == where && each.what.find(what) != std::string::npos &&
                   !each.fix.empty();
        }));
    }
}

TEST_CASE("check reports every mistake at once") { has_every_mistake(wrong_app().check()); }

TEST_CASE("a start reports every mistake at once, and the app has failed") {
    auto app = wrong_app();
    app.log_level(waybill::log_level::off);
    const auto started = app.start();
    REQUIRE_FALSE(started);
    has_every_mistake(started.error());
    CHECK(app.health().state == waybill::health_state::failed);
    CHECK(app.health().reason.find("max_attempts(0)") != std::string::npos);
    CHECK(app.health().reason.find("concurrency(0)") != std::string::npos);
}

TEST_CASE("the test kit reports every mistake at once") {
    std::string said;
    try {
        const waybill::test_app tb{wrong_app()};
    } catch (const waybill::test_failure& failure) {
        said = failure.what();
    }
    for (const auto& [where, what] : wrong_places) {
        CHECK(said.find(where) != std::string::npos);
        CHECK(said.find(what) != std::string::npos);
    }
}

TEST_CASE("a handler that holds no function is a mistake") {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    void (*nothing)(std::span<const std::byte>) = nullptr;
    broker.subscribe(waybill::memory::queue("orders"), nothing);
    broker.subscribe(waybill::memory::queue("refunds"),
                     std::function<void(std::span<const std::byte>)>{});
    const auto problems = app.check();
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].where == "subscription orders");
    CHECK(problems[1].where == "subscription refunds");
    for (const auto& each : problems) {
        CHECK(each.what.find("handler is empty") != std::string::npos);
        CHECK_FALSE(each.fix.empty());
    }
}

TEST_CASE("an app has a name, and so has an earlier reader") {
    for (const auto* name : {"", "a\nb"}) {
        waybill::app app{name, "1"};
        const auto problems = app.check();
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].what.find("name is empty or has control characters") !=
              std::string::npos);
    }
    one_problem([](auto& wired) { wired.formerly(""); }, "formerly(...) names no reader",
                "the identity");
    auto app = shop();
    app.retry_count_header("bad header\n");
    is_only(app.check(), "retry_count_header(...) has control characters", "plain", "app shop");
}

TEST_CASE("a retry count under another of the runtime's own names is a mistake") {
    waybill::app app{"shop", "1"};
    app.retry_count_header("Waybill-Id");
    const auto problems = app.check();
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "app shop");
    CHECK(problems[0].what.find("Waybill-Id") != std::string::npos);
    CHECK_FALSE(problems[0].fix.empty());
    app.retry_count_header("waybill-retry-count");
    CHECK(app.check().empty());
}

}  // namespace checks
