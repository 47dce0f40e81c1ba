/// Consuming and acking 100 bytes, on Waybill and by a loop on rabbitmq-c, with something that
/// measures between the message after the warm-up and the last.
#pragma once

#include "rabbitmq/service.hpp"

#include <atomic>

namespace bench {

inline constexpr std::size_t warm_up = 5000;
inline constexpr std::uint16_t consume_prefetch = 200;

/// What the handler of the service counts with.
template <class Meter>
struct counted_run {
    std::size_t end = 0;
    Meter* meter = nullptr;
    std::size_t seen = 0;
    std::atomic<bool> done{false};

    void one_more() {
        if (++seen == warm_up) meter->begin();
        if (seen != end) return;
        meter->end();
        done = true;
        done.notify_one();
    }
};

template <class Meter>
void consume_by_waybill(const run_options& how, Meter& meter) {
    const std::string name = "bench.consume";
    raw_client client{how.url};
    client.make_queue(name, how.kind);
    client.select_confirms();
    client.fill(name, warm_up + how.count, how.kind);

    counted_run<Meter> run{warm_up + how.count, &meter};
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::warning);
    auto with = how;
    with.prefetch = consume_prefetch;
    app.broker(waybill::rabbitmq::broker{how.url})
        .subscribe(read_queue(name, with), [&run](std::span<const std::byte>) { run.one_more(); })
        .concurrency(static_cast<std::int64_t>(how.lanes));
    start(app);
    run.done.wait(false);
    app.stop();
    client.expect_ready(name, 0);
    client.delete_queue(name);
}

template <class Meter>
void consume_by_loop(const run_options& how, Meter& meter) {
    const std::string name = "bench.consume";
    {
        raw_client client{how.url};
        client.make_queue(name, how.kind);
        client.select_confirms();
        client.fill(name, warm_up + how.count, how.kind);
        raw_client reads{how.url};
        counted_run<Meter> run{warm_up + how.count, &meter};
        reads.consume(name, consume_prefetch);
        while (!run.done) {
            const auto tag = reads.next();
            run.one_more();
            reads.ack(tag);
        }
    }
    raw_client client{how.url};
    client.expect_ready(name, 0);
    client.delete_queue(name);
}

}  // namespace bench
