/// Messages that wait in twenty delays, and when they come back.
#include "rabbitmq/service.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>
#include <vector>

namespace bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::string name = "bench.waiting";
constexpr std::size_t delay_count = 20;
/// The shortest is longer than all messages need to begin their waits: who comes back then finds no
/// crowd before it.
constexpr milliseconds first_delay{60'000};
constexpr milliseconds between{1'000};

struct one_wait {
    steady_clock::time_point until;
    milliseconds late{0};
    bool is_back = false;
};

std::size_t number_in(std::span<const std::byte> body) {
    const auto* text = reinterpret_cast<const char*>(body.data());
    std::size_t number = 0;
    std::from_chars(text, text + body.size(), number);
    return number;
}

/// Of the waits on one lane.
struct ledger {
    explicit ledger(std::size_t count) : waits(count) {}
    std::vector<one_wait> waits;
    std::atomic<std::size_t> begun{0};
    std::atomic<std::size_t> back{0};

    waybill::outcome take(std::size_t number) {
        auto& each = waits.at(number);
        const auto now = steady_clock::now();
        if (each.until == steady_clock::time_point{}) {
            const auto delay = first_delay + between * (number % delay_count);
            each.until = now + delay;
            ++begun;
            return waybill::retry_after(delay);
        }
        each.late = std::chrono::floor<milliseconds>(now - each.until);
        each.is_back = true;
        ++back;
        return waybill::ack();
    }
};

void await(const std::atomic<std::size_t>& count, std::size_t wanted, milliseconds at_most,
           const char* what) {
    const auto limit = steady_clock::now() + at_most;
    auto told = steady_clock::now();
    while (count < wanted) {
        const auto now = steady_clock::now();
        if (now > limit) {
            std::cerr << "bench_rabbitmq: only " << count << " messages " << what << '\n';
            std::exit(1);
        }
        if (now - told > std::chrono::seconds{10}) {
            std::cerr << "  " << count << " of " << wanted << ' ' << what << '\n';
            told = now;
        }
        std::this_thread::sleep_for(milliseconds{20});
    }
}

void report(std::vector<one_wait>& waits) {
    std::ranges::sort(waits, {}, &one_wait::late);
    std::cout << "earliest_ms " << waits.front().late.count() << "\np50_ms "
              << waits[waits.size() / 2].late.count() << "\np99_ms "
              << waits[waits.size() * 99 / 100].late.count() << "\nlatest_ms "
              << waits.back().late.count() << '\n';
}

void wait_by_waybill(const run_options& how) {
    raw_client client{how.url};
    client.make_queue(name, how.kind);
    client.select_confirms();
    client.fill(name, how.count, how.kind);
    ledger all{how.count};
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::warning);
    app.broker(waybill::rabbitmq::broker{how.url})
        .subscribe(read_queue(name, how),
                   [&all](std::span<const std::byte> body) { return all.take(number_in(body)); });
    const auto begun = steady_clock::now();
    start(app);
    await(all.begun, how.count, milliseconds{240'000}, "have begun to wait");
    const std::chrono::duration<double> needed = steady_clock::now() - begun;
    await(all.back, how.count, first_delay + between * (delay_count + 120), "have come back");
    app.stop();
    client.expect_ready(name, 0);
    client.delete_queue(name);
    std::cout << "begun_in_s " << needed.count() << '\n';
    report(all.waits);
}

}  // namespace

void add_waiting_cases(rabbitmq_cases& cases) { cases["waiting.waybill"] = wait_by_waybill; }

}  // namespace bench
