/// Exact costs: runs one case of the real runtime with callgrind's instrumentation round the
/// measured section and a counting allocator under everything (scripts/bench_exact.py does the
/// arithmetic).
#include "codec/json_kernel.hpp"
#include "exact/meter.hpp"
#include "messages.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <new>
#include <string_view>

constinit std::atomic<std::uint64_t> bench::allocations{0};

namespace {

using bench::meter;
using bench::payment;
using payload = std::span<const std::byte>;

void* allocate(std::size_t size, std::size_t align) {
    bench::allocations.fetch_add(1, std::memory_order_relaxed);
    void* made =
        align <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(align, size);
    if (made == nullptr) std::abort();
    return made;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new[](std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t align) {
    const auto step = static_cast<std::size_t>(align);
    return allocate((size + step - 1) / step * step, step);
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete[](void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }
void operator delete[](void* made, std::size_t) noexcept { std::free(made); }
void operator delete(void* made, std::align_val_t) noexcept { std::free(made); }
void operator delete(void* made, std::size_t, std::align_val_t) noexcept { std::free(made); }

namespace {

constexpr std::string_view small_text = R"({"order":1234567,"cents":49})";
static_assert(small_text.size() == 28);
const payload small = std::as_bytes(std::span{small_text});
constexpr std::size_t round_length = 1000;

std::uint64_t handled = 0;
std::uint64_t sum = 0;

void take_raw(std::span<const std::byte> bytes) {
    ++handled;
    sum += bytes.size();
}

void take_json(const payment& received) {
    ++handled;
    sum += received.order + received.cents;
}

void take_purchase(const bench::purchase& received) {
    ++handled;
    sum += received.items.size();
}

void take_ends(const bench::purchase_ends& received) {
    ++handled;
    sum += static_cast<std::uint64_t>(received.total);
}

waybill::outcome retry_once(const payment& received, waybill::attempt number) {
    ++handled;
    sum += received.cents;
    return number == 1 ? waybill::retry() : waybill::ack();
}

/// An app whose lanes and timers this thread drives; everything else is the production runtime.
class driven_app {
public:
    template <class Handler>
    explicit driven_app(Handler handler) : app_{"bench", "1"} {
        app_.log_level(waybill::log_level::off);
        auto& broker = app_.broker(waybill::memory::broker{});
        broker.subscribe(waybill::memory::queue("orders.requested"), handler)
            .max_attempts(5)
            .dead_letter("payments.dead")
            .inline_handler();
        publisher_.emplace(broker.publisher());
        runtime_ = waybill::wiring::runtime::make(*app_.core(), waybill::wiring::run_mode::by_hand,
                                                  nullptr);
        if (!runtime_->start()) std::abort();
    }
    ~driven_app() { runtime_->stop(std::chrono::seconds{1}); }

    void publish(payload bytes, std::size_t count) {
        for (std::size_t at = 0; at < count; ++at) {
            if (!publisher_->publish("orders.requested", bytes)) std::abort();
        }
    }
    void drain() {
        while (runtime_->run_one()) {
        }
    }

private:
    waybill::app app_;
    std::optional<waybill::publisher> publisher_;
    std::shared_ptr<waybill::wiring::runtime> runtime_;
};

template <class Section>
void rounds(std::size_t messages, Section section) {
    for (std::size_t done = 0; done < messages; done += round_length) section();
}

void measure_publish(std::size_t messages, meter& reads) {
    driven_app app{take_raw};
    const auto round = [&](bool measured) {
        rounds(messages, [&] {
            app.publish(small, 1);  // wakes the lane; the others find it awake
            if (measured) reads.begin();
            app.publish(small, round_length);
            if (measured) reads.end();
            app.drain();
        });
    };
    round(false);
    round(true);
}

template <class Handler>
void measure_drain(Handler handler, payload bytes, std::size_t deliveries, std::size_t messages,
                   meter& reads) {
    driven_app app{handler};
    const auto round = [&](bool measured) {
        rounds(messages, [&] {
            app.publish(bytes, round_length);
            if (measured) reads.begin();
            app.drain();
            if (measured) reads.end();
        });
    };
    round(false);
    handled = 0;
    round(true);
    if (handled != messages * deliveries || sum == 0) {
        std::cerr << "expected " << messages * deliveries << " deliveries, saw " << handled << '\n';
        std::exit(1);
    }
}

/// A purchase of `size` bytes as JSON.
template <class Handler>
void measure_large(Handler handler, const bench::purchase& sample, std::size_t size,
                   std::size_t messages, meter& reads) {
    const auto bytes = bench::encoded(waybill::codecs::json(), sample);
    bench::expect_size(bytes.bytes(), size);
    measure_drain(handler, bytes.bytes(), 1, messages, reads);
}

/// One lane with a thread of its own: the handler holds the lane at the first message of a round
/// until all of the round is queued.
void measure_lane(std::size_t messages, meter& reads) {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    std::size_t left = 0;
    waybill::app app{"bench", "1"};
    app.log_level(waybill::log_level::off);
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("orders.requested"), [&](const payment& received) {
        sum += received.cents;
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return open; });
        if (--left == 0) changed.notify_all();
    });
    if (!app.start()) std::abort();
    const auto to = broker.publisher();
    const auto round = [&](bool measured) {
        rounds(messages, [&] {
            left = round_length;
            for (std::size_t at = 0; at < round_length; ++at) {
                if (!to.publish("orders.requested", small)) std::abort();
            }
            if (measured) reads.begin();
            std::unique_lock lock{mutex};
            open = true;
            changed.notify_all();
            changed.wait(lock, [&] { return left == 0; });
            open = false;
            if (measured) reads.end();
        });
    };
    round(false);
    round(true);
    app.stop();
}

bench::case_table all_cases() {
    bench::case_table cases = {
        {"memory.publish", measure_publish},
        {"memory.raw", [](auto n, auto& m) { measure_drain(take_raw, small, 1, n, m); }},
        {"memory.json_28", [](auto n, auto& m) { measure_drain(take_json, small, 1, n, m); }},
        {"memory.json_1k",
         [](auto n, auto& m) { measure_large(take_purchase, bench::make_purchase(), 980, n, m); }},
        {"memory.json_1k_two_fields",
         [](auto n, auto& m) { measure_large(take_ends, bench::make_purchase(50), 1040, n, m); }},
        {"memory.retry", [](auto n, auto& m) { measure_drain(retry_once, small, 2, n, m); }},
        {"memory.json_28_lane", measure_lane},
    };
    bench::add_codec_cases(cases);
    return cases;
}

int misused(const bench::case_table& cases) {
    std::cerr << "usage: bench_exact_run --kernel | --case NAME --n MESSAGES, where MESSAGES is a "
                 "multiple of 1000 and NAME is one of\n";
    for (const auto& [name, run] : cases) std::cerr << "  " << name << '\n';
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> words{argv + 1, argv + argc};
    if (words.size() == 1 && words[0] == "--kernel") {
        std::cout << waybill::codecs::json_kernel() << '\n';
        return 0;
    }
    const bench::case_table cases = all_cases();
    if (words.size() != 4 || words[0] != "--case" || words[2] != "--n") return misused(cases);
    std::size_t messages = 0;
    std::from_chars(words[3].data(), words[3].data() + words[3].size(), messages);
    const auto found = cases.find(words[1]);
    if (found == cases.end() || messages == 0 || messages % round_length != 0)
        return misused(cases);
    meter reads;
    found->second(messages, reads);
    reads.report();
    return 0;
}
