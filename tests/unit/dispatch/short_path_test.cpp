/// Nearly every delivery of an app that nobody observes takes a short path through its lane. It has
/// to end as on the long one.
#include "settle/probe.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace short_path_test {

using waybill::memory::counting;

/// Sees everything and does nothing: what is observed takes the long path.
struct onlooker final : waybill::settle::probe {
    void delivered(std::string_view, const waybill::delivery&) override {}
    void answered(std::string_view, const waybill::delivery&, waybill::outcome,
                  std::string_view) override {}
    void exceeded(std::string_view, const waybill::delivery&) override {}
    void published(waybill::settle::publish_reason, const waybill::outgoing_view&,
                   waybill::detail::publish_status) override {}
    void settled(std::string_view, std::uint32_t, waybill::detail::settle_kind) override {}
};

struct story {
    waybill::memory::options how;
    std::function<void(waybill::subscription&)> declare;
    std::function<waybill::outcome(waybill::attempt, const waybill::memory::server&)> answer;
};

/// Three messages through the story: each delivery with its attempt and its time, what the dead
/// letters say, and what was counted.
std::string told(story of, bool observed) {
    std::string text;
    const auto time = std::make_shared<waybill::manual_clock>();
    const waybill::memory::server server{of.how};
    waybill::app app{"shop", "1"};
    app.time(time).log_level(waybill::log_level::off);
    auto& broker = app.broker(waybill::memory::broker{server});
    auto& orders = broker.subscribe(
        waybill::memory::queue("orders"),
        [&](std::span<const std::byte> payload, waybill::attempt number) {
            text += std::to_string(std::to_integer<int>(payload[0])) + ": attempt " +
                    std::to_string(number) + " at " + waybill::to_text(time->now()) + '\n';
            return of.answer(number, server);
        });
    orders.inline_handler();
    of.declare(orders);
    broker
        .subscribe(waybill::memory::queue("dead"),
                   [&](std::span<const std::byte> payload, const waybill::headers& all) {
                       text += std::to_string(std::to_integer<int>(payload[0])) + ": dead after " +
                               std::string{all.text("waybill-retry-count").value_or("?")} + ", " +
                               std::string{all.text("waybill-dead-reason").value_or("?")} + '\n';
                   })
        .inline_handler();
    onlooker eyes;
    const auto runtime = waybill::wiring::runtime::make(
        *app.core(), waybill::wiring::run_mode::by_hand, observed ? &eyes : nullptr);
    REQUIRE(runtime->start().has_value());
    for (const char number : {1, 2, 3}) {
        REQUIRE(server.publish("orders", std::string_view{&number, 1}).has_value());
    }
    for (int steps = 0; steps < 50; ++steps) {
        while (runtime->run_one()) {
        }
        const auto due = runtime->next_due();
        if (!due) break;
        time->advance_to(*due);
        runtime->tick(*due, 1000);
    }
    CHECK(server.queued("orders") == 0);
    CHECK(server.unsettled() == 0);
    const auto& totals = runtime->running().front()->shared.totals;
    text += "retried " + std::to_string(totals.retried.load()) + ", stale " +
            std::to_string(totals.stale.load());
    runtime->stop(0ns);
    return text;
}

void tell_both_ways(const story& of) {
    const auto shortly = told(of, false);
    CHECK(shortly == told(of, true));
    CHECK(shortly.find("3: ") != std::string::npos);
}

void capped(waybill::subscription& orders) { orders.max_attempts(3).dead_letter("dead"); }
void uncapped(waybill::subscription&) {}
void backing_off(waybill::subscription& orders) {
    orders.max_attempts(3).dead_letter("dead").retry_backoff(waybill::backoff::fixed(2s));
}

waybill::outcome never(waybill::attempt, const waybill::memory::server&) {
    return waybill::retry();
}
waybill::outcome at_the_fourth(waybill::attempt number, const waybill::memory::server&) {
    return number == 4 ? waybill::ack() : waybill::retry();
}

TEST_CASE("the short path through a lane ends as the long one, whoever counts") {
    for (const auto counts : {counting::failures, counting::returns, counting::none}) {
        for (const bool delays : {true, false}) {
            const waybill::memory::options how{.counts = counts, .delays = delays};
            CAPTURE(static_cast<int>(counts));
            CAPTURE(delays);
            tell_both_ways({how, capped, never});
            tell_both_ways({how, backing_off, never});
        }
    }
    tell_both_ways({{}, uncapped, at_the_fourth});
}

TEST_CASE("near the server's delivery limit the short path copies, as the long one does") {
    tell_both_ways(
        {{.delivery_limit = 4},
         [](waybill::subscription& orders) { orders.max_attempts(8).dead_letter("dead"); },
         never});
}

TEST_CASE("an answer to a delivery whose connection fell is void on the short path too") {
    tell_both_ways(
        {{}, capped, [calls = 0](waybill::attempt, const waybill::memory::server& at) mutable {
             // The first delivery of a connection takes the long path.
             if (++calls == 2) at.drop_connections();
             return waybill::retry();
         }});
}

}  // namespace short_path_test
