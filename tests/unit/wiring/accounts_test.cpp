// Every message is in one place at the end: acked, dropped, dead-lettered, queued or waiting.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

using namespace std::chrono_literals;

namespace accounts {

using waybill::memory::counting;
using waybill::memory::queue;
using waybill::memory::server;

enum class fate { handled, dropped, spent, throws, throws_a_number, waits, unpublished };
struct order {
    fate meets;
};
struct paid {
    static constexpr std::string_view address = "paid";
    fate met;
};

waybill::reply<paid> meet(const order& o) {
    switch (o.meets) {
        case fate::handled:
            return waybill::ack();
        case fate::dropped:
            return waybill::drop();
        case fate::spent:
            return waybill::retry();
        case fate::throws:
            throw std::runtime_error{"no provider"};
        case fate::throws_a_number:
            throw 7;
        case fate::waits:
            return waybill::retry_after(1h);
        case fate::unpublished:
            return paid{o.meets};
    }
    return waybill::ack();
}

constexpr std::size_t each = 10;

/// `each` messages of every kind, and what cannot be read; the broker takes no `paid`.
void publish_all(waybill::test_app& tb) {
    for (std::size_t at = 0; at < each; ++at) {
        for (const auto meets : {fate::handled, fate::dropped, fate::spent, fate::throws,
                                 fate::throws_a_number, fate::waits, fate::unpublished}) {
            tb.publish("orders", order{meets});
        }
        tb.publish_raw("orders", R"({"meets":"nothing_known"})");
        tb.publish("stuck", order{fate::spent});
        tb.publish("kept", order{fate::handled});
    }
}

std::size_t count_of(const waybill::test_app& tb, waybill::outcome answer) {
    const auto all = tb.outcomes("orders");
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), answer));
}

TEST_CASE("each message is acked, dropped, dead-lettered, queued or waiting after a stop") {
    for (const bool counts : {true, false}) {
        for (const bool delays : {true, false}) {
            CAPTURE(counts);
            CAPTURE(delays);
            const server at{
                {.counts = counts ? counting::failures : counting::none, .delays = delays}};
            std::vector<waybill::settlement> kept;
            waybill::app app{"shop", "1"};
            auto& broker = app.broker(waybill::memory::broker{at});
            broker.subscribe(queue("orders"), meet).max_attempts(3).dead_letter("dead");
            broker.subscribe(queue("stuck"), [](const order&) { return waybill::retry(); })
                .max_attempts(1)
                .dead_letter("never");
            broker.subscribe(queue("kept"), [&](const order&, waybill::settlement s) {
                kept.push_back(std::move(s));
            });
            waybill::test_app tb{std::move(app)};
            at.fail_publishes("paid", 1'000'000);
            at.fail_publishes("never", 1'000'000);
            publish_all(tb);
            tb.advance(1min);
            CHECK_FALSE(tb.stop());  // for what the test keeps

            CHECK(count_of(tb, waybill::ack()) == each);
            CHECK(count_of(tb, waybill::drop()) == each);
            // Spent, thrown twice over, without an answer from the broker, and unreadable.
            CHECK(at.queued("dead") == 5 * each);
            CHECK(at.queued("orders") + at.waiting() == each);
            CHECK(at.queued("stuck") == each);
            CHECK(at.queued("kept") == each);
            CHECK(at.queued("paid") + at.queued("never") + at.unsettled() == 0);
        }
    }
}

}  // namespace accounts
