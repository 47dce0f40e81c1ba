/// The cycle of a retry that is a copy: publish, wait for the confirmation, ack. The messages go
/// round until the run has seen enough.
#include "rabbitmq/measured.hpp"
#include "rabbitmq/service.hpp"

namespace bench {
namespace {

const std::string name = "bench.retry";
constexpr std::size_t going_round = 2000;
constexpr std::size_t first_cycles = 500;
constexpr std::uint16_t loop_prefetch = 16;

void prepare(const run_options& how) {
    raw_client client{how.url};
    client.make_queue(name, how.kind);
    client.select_confirms();
    client.fill(name, going_round, how.kind);
}

void finish(const run_options& how) {
    raw_client client{how.url};
    client.expect_ready(name, going_round);
    client.delete_queue(name);
}

void retry_by_waybill(const run_options& how) {
    prepare(how);
    stopwatch times;
    std::atomic<std::size_t> seen{0};
    std::atomic<bool> done{false};
    {
        waybill::app app{"bench", "1"};
        app.log_level(waybill::log_level::warning);
        app.broker(waybill::rabbitmq::broker{how.url})
            .subscribe(read_queue(name, how),
                       [&](std::span<const std::byte>) {
                           const auto now = ++seen;
                           if (now == first_cycles) times.begin();
                           if (now == first_cycles + how.count) {
                               times.end();
                               done = true;
                               done.notify_one();
                           }
                           return waybill::retry();
                       })
            .max_attempts(1'000'000)
            .dead_letter(name + ".dead")
            .concurrency(static_cast<std::int64_t>(how.lanes));
        start(app);
        done.wait(false);
        app.stop();
    }
    finish(how);
    raw_client client{how.url};
    client.delete_queue(name + ".dead");
    times.report(how.count);
}

void retry_by_loop(const run_options& how) {
    prepare(how);
    stopwatch times;
    {
        raw_client reads{how.url};
        raw_client publishes{how.url};
        publishes.select_confirms();
        reads.consume(name, loop_prefetch);
        for (std::size_t seen = 1; seen <= first_cycles + how.count; ++seen) {
            const auto tag = reads.next();
            if (seen == first_cycles) times.begin();
            publishes.publish(name, reads.body(), how.kind);
            publishes.await_confirms();
            reads.ack(tag);
        }
        times.end();
    }
    finish(how);
    times.report(how.count);
}

}  // namespace

void add_retry_cases(rabbitmq_cases& cases) {
    cases["retry.waybill"] = retry_by_waybill;
    cases["retry.loop"] = retry_by_loop;
}

}  // namespace bench
