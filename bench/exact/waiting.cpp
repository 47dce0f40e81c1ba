/// The memory of a retry that waits: all that the heap holds more than before, divided by how many
/// wait.
#include "exact/cases.hpp"
#include "exact/driven_app.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

waybill::outcome wait(payload) { return waybill::retry_after(1h); }

const std::string hundred_bytes(100, 'x');

waybill::headers two_headers() {
    return {{"content-type", "application/json"}, {"trace-id", "4bf92f3577b34da6a3ce929d0e0e4736"}};
}

auto holding(waybill::memory::options how, payload bytes, const waybill::headers& with) {
    return [=](std::size_t messages, meter& reads) {
        driven_app app{how};
        app.subscribe_orders(wait);
        app.start();
        const auto before = heap_in_use();
        for (std::size_t done = 0; done < messages; done += round_length) {
            app.publish(bytes, round_length, with);
            app.drain();
        }
        reads.holds(heap_in_use() - before);
        if (app.waiting() != messages) std::abort();
    };
}

}  // namespace

/// In the server of the memory transport, and as copies in the app's own delay store.
void add_waiting_cases(case_table& cases) {
    const auto hundred = std::as_bytes(std::span{hundred_bytes});
    constexpr waybill::memory::options copies{.counts = waybill::memory::counting::none,
                                              .delays = false};
    cases["timers.bytes_28"] = holding({}, small, {});
    cases["timers.bytes_100"] = holding({}, hundred, two_headers());
    cases["copies.bytes_28"] = holding(copies, small, {});
    cases["copies.bytes_100"] = holding(copies, hundred, two_headers());
}

}  // namespace bench
