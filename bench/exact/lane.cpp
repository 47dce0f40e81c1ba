#include "exact/cases.hpp"
#include "exact/driven_app.hpp"

#include <condition_variable>
#include <mutex>

namespace bench {
namespace {

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
    broker.subscribe(waybill::memory::queue(driven_app::orders), [&](const payment&) {
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return open; });
        if (--left == 0) changed.notify_all();
    });
    if (!app.start()) std::abort();
    const auto to = broker.publisher();
    const auto rounds = [&](bool measured) {
        for (std::size_t done = 0; done < messages; done += round_length) {
            left = round_length;
            for (std::size_t at = 0; at < round_length; ++at) {
                if (!to.publish(driven_app::orders, small)) std::abort();
            }
            if (measured) reads.begin();
            std::unique_lock lock{mutex};
            open = true;
            changed.notify_all();
            changed.wait(lock, [&] { return left == 0; });
            open = false;
            if (measured) reads.end();
        }
    };
    rounds(false);
    rounds(true);
    app.stop();
}

}  // namespace

void add_lane_cases(case_table& cases) { cases["memory.json_28_lane"] = measure_lane; }

}  // namespace bench
