/// Messages that come again: at once, after a delay, as copies, and as dead letters.
#include "exact/cases.hpp"
#include "exact/driven_app.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

tally seen;

waybill::outcome retry_once(const payment& received, waybill::attempt number) {
    seen.add(received.cents);
    return number == 1 ? waybill::retry() : waybill::ack();
}
waybill::outcome retry_once_later(const payment& received, waybill::attempt number) {
    seen.add(received.cents);
    return number == 1 ? waybill::retry_after(1s) : waybill::ack();
}
waybill::outcome never_now(const payment& received) {
    seen.add(received.cents);
    return waybill::retry();
}
void bury(const payment& received) { seen.add(received.cents); }

/// `deliveries` for each message, the last of which are due a second after the first.
void measure(driven_app& app, std::size_t deliveries, std::size_t messages, meter& reads) {
    app.start();
    const auto rounds = [&](bool measured) {
        for (std::size_t done = 0; done < messages; done += round_length) {
            app.publish(small, round_length);
            if (measured) reads.begin();
            app.drain();
            if (app.waiting() != 0) {
                app.advance(1s);
                app.drain();
            }
            if (measured) reads.end();
        }
    };
    rounds(false);
    seen = {};
    rounds(true);
    seen.expect(messages * deliveries);
}

void measure_retry(std::size_t messages, meter& reads) {
    driven_app app;
    app.subscribe_orders(retry_once);
    measure(app, 2, messages, reads);
}

void measure_retry_after(std::size_t messages, meter& reads) {
    driven_app app;
    app.subscribe_orders(retry_once_later);
    measure(app, 2, messages, reads);
}

/// Five attempts, the dead letter, and the dead letter's own handler.
auto dying(waybill::memory::options how) {
    return [=](std::size_t messages, meter& reads) {
        driven_app app{how};
        app.subscribe_orders(never_now);
        app.subscribe(driven_app::dead, bury);
        measure(app, 6, messages, reads);
    };
}

}  // namespace

void add_failure_cases(case_table& cases) {
    cases["memory.retry"] = measure_retry;
    cases["memory.retry_after"] = measure_retry_after;
    cases["memory.dead_letter"] = dying({});
    cases["copies.dead_letter"] =
        dying({.counts = waybill::memory::counting::none, .delays = false});
}

}  // namespace bench
