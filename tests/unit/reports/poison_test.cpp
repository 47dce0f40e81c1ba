// Faults that users of other frameworks reported: input and hooks that fail.
#include "shop.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace std::chrono_literals;

namespace poison_reports {

using support::always;
using support::copies_only;
using support::shop;
using waybill::test_app;
using waybill::memory::options;
using waybill::memory::queue;
using waybill::memory::server;

struct customer {
    std::uint64_t id;
    std::string name;
};

void greet(const customer&) {}

std::size_t lines_with(const std::vector<std::string>& lines, std::string_view word) {
    std::size_t count = 0;
    for (const auto& line : lines) count += line.find(word) != line.npos ? 1 : 0;
    return count;
}

TEST_CASE("B06: whatever a handler throws, the message is not lost and the next one is handled") {
    for (const bool standard : {true, false}) {
        for (const auto& how : {options{}, copies_only}) {
            const server at{how};
            std::vector<std::string> lines;
            int calls = 0;
            auto app = shop(
                at,
                [&](std::uint32_t) {
                    if (++calls > 2) return waybill::ack();
                    if (standard) throw std::runtime_error("no connection");
                    throw 7;
                },
                0);
            app.log_to([&](std::string_view line) { lines.emplace_back(line); });
            test_app tb{std::move(app)};
            tb.publish_raw("orders", "a");
            tb.advance(10s);
            CHECK(calls == 3);
            CHECK(lines_with(lines, "handler_failed") == 2);
            CHECK(lines_with(lines, standard ? "no connection" : "not a std::exception") == 2);
            tb.publish_raw("orders", "b");
            CHECK(calls == 4);
            CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
        }
    }
}

TEST_CASE("B88: a payload that does not decode has one end, and is logged once") {
    constexpr std::string_view cut = R"({"id":1,"name":"bob)";
    for (const bool has_dead_letter : {true, false}) {
        const server at;
        std::vector<std::string> lines;
        waybill::app app{"shop", "1"};
        app.log_to([&](std::string_view line) { lines.emplace_back(line); });
        auto& reads = app.broker(waybill::memory::broker{at}).subscribe(queue("orders"), greet);
        if (has_dead_letter) reads.max_attempts(3).dead_letter("orders.dead");
        test_app tb{std::move(app)};
        tb.publish_raw("orders", cut);
        tb.advance(1h);
        CHECK(tb.calls(greet) == 0);
        CHECK(lines_with(lines, "undecodable") == 1);
        CHECK(at.queued("orders") + at.unsettled() + at.waiting() == 0);
        CHECK(tb.published("orders.dead") == (has_dead_letter ? 1 : 0));
        if (!has_dead_letter) continue;
        const auto dead = tb.published("orders.dead")[0];
        CHECK(dead.text() == cut);
        CHECK(dead.with.text("waybill-dead-reason") == "decode");
    }
}

TEST_CASE("B88: undecodable payloads that are to be retried end at the cap") {
    for (const auto& how : {options{}, copies_only}) {
        const server at{how};
        std::vector<std::string> lines;
        waybill::app app{"shop", "1"};
        app.log_to([&](std::string_view line) { lines.emplace_back(line); });
        app.broker(waybill::memory::broker{at})
            .subscribe(queue("orders"), greet)
            .max_attempts(3)
            .dead_letter("orders.dead")
            .on_undecodable(waybill::retry());
        test_app tb{std::move(app)};
        tb.publish_raw("orders", "{");
        CHECK(lines_with(lines, "undecodable") == 3);
        REQUIRE(tb.published("orders.dead") == 1);
        CHECK(tb.published("orders.dead")[0].text() == "{");
    }
}

TEST_CASE("B120: an empty body is a body") {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    std::vector<std::size_t> sizes;
    broker.subscribe(queue("raw"),
                     [&](std::span<const std::byte> payload) { sizes.push_back(payload.size()); });
    broker.subscribe(queue("typed"), greet).max_attempts(3).dead_letter("typed.dead");
    test_app tb{std::move(app)};
    tb.publish_raw("raw", "");
    tb.publish_raw("raw", "x");
    CHECK(sizes == std::vector<std::size_t>{0, 1});
    tb.publish_raw("typed", "");
    tb.publish("typed", customer{7, "ann"});
    CHECK(tb.calls(greet) == 1);
    REQUIRE(tb.published("typed.dead") == 1);
    CHECK(tb.published("typed.dead")[0].payload.empty());
}

TEST_CASE("B121: a handler and a hook that both throw are both logged, and the cap holds") {
    const server at{copies_only};
    std::vector<std::string> lines;
    auto app = shop(
        at, [](std::uint32_t) -> waybill::outcome { throw std::runtime_error("handler"); }, 3,
        [](auto& charge) {
            charge.on_retry_copy([](waybill::outgoing&, const waybill::delivery&) { throw 7; });
        });
    app.log_to([&](std::string_view line) { lines.emplace_back(line); });
    test_app tb{std::move(app)};
    tb.publish_raw("orders", "a");
    CHECK(tb.calls("charge") == 3);
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].with.text("waybill-dead-error") == "handler");
    CHECK(lines_with(lines, "handler_failed") == 3);
    CHECK(lines_with(lines, "copy_hook_failed") == 2);
    tb.publish_raw("orders", "b");
    CHECK(tb.calls("charge") == 6);
}

TEST_CASE("a log sink that throws, whatever it throws, harms no message") {
    for (const bool standard : {true, false}) {
        auto app = shop(server{}, [](std::uint32_t) -> waybill::outcome { throw 7; }, 3);
        app.log_to([standard](std::string_view) {
            if (standard) throw std::runtime_error("disk full");
            throw 7;
        });
        test_app tb{std::move(app)};
        tb.publish_raw("orders", "a");
        CHECK(tb.calls("charge") == 3);
        CHECK(tb.published("orders.dead") == 1);
    }
}

}  // namespace poison_reports
