/// Many waits through the whole app: its lanes and its clock are driven by hand.
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

using namespace std::chrono_literals;

namespace memory_waiting_test {

using std::chrono::nanoseconds;
using waybill::memory::counting;

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

/// Asks each message to wait once, and sees when it comes back.
class waiting_room {
public:
    explicit waiting_room(waybill::memory::options how, nanoseconds (*delay_of)(std::size_t))
        : server_{how}, delay_of_{delay_of} {
        app_.time(time_).log_level(waybill::log_level::off);
        auto& broker = app_.broker(waybill::memory::broker{server_});
        broker
            .subscribe(waybill::memory::queue("waits"),
                       [this](std::span<const std::byte> payload, waybill::attempt number) {
                           return handle(payload, number);
                       })
            .max_attempts(5)
            .dead_letter("waits.dead")
            .inline_handler();
        publisher_ = std::make_unique<waybill::publisher>(broker.publisher());
        runtime_ = waybill::wiring::runtime::make(*app_.core(), waybill::wiring::run_mode::by_hand,
                                                  nullptr);
        REQUIRE(runtime_->start().has_value());
    }
    ~waiting_room() { runtime_->stop(0ns); }
    waiting_room(const waiting_room&) = delete;
    waiting_room& operator=(const waiting_room&) = delete;

    /// A thousand messages begin to wait every microsecond.
    void fill(std::size_t count) {
        due_.resize(count);
        for (std::size_t at = 0; at < count; ++at) {
            REQUIRE(publisher_->publish("waits", std::as_bytes(std::span{&at, 1})).has_value());
            if (at % 1000 != 999) continue;
            drain();
            time_->advance_by(1us);
        }
    }
    /// Moves to the time of the next that is due, and no further.
    bool step() {
        const auto due = runtime_->next_due();
        if (!due) return false;
        early_ += runtime_->tick(*due - 1ns, everything);
        time_->advance_to(*due);
        runtime_->tick(*due, everything);
        drain();
        return true;
    }
    /// Moves on by so much, and fires what has become due meanwhile.
    void advance(nanoseconds span) {
        time_->advance_by(span);
        runtime_->tick(time_->now(), everything);
        drain();
    }

    [[nodiscard]] std::size_t waiting() const {
        return server_.waiting() + runtime_->waiting_in_process();
    }
    [[nodiscard]] std::optional<nanoseconds> next_due() const { return runtime_->next_due(); }
    [[nodiscard]] std::size_t returned() const { return returned_; }
    [[nodiscard]] std::size_t early() const { return early_; }
    [[nodiscard]] std::size_t out_of_order() const { return out_of_order_; }

private:
    waybill::outcome handle(std::span<const std::byte> payload, waybill::attempt number) {
        std::size_t which = 0;
        std::memcpy(&which, payload.data(), sizeof which);
        auto& due = due_[which];
        if (number == 1) {
            const auto delay = delay_of_(which);
            due = {time_->now() + delay, which};
            return waybill::retry_after(delay);
        }
        early_ += time_->now() < due.first ? 1 : 0;
        out_of_order_ += due < last_ ? 1 : 0;
        last_ = due;
        ++returned_;
        return waybill::ack();
    }
    void drain() {
        while (runtime_->run_one()) {
        }
    }

    waybill::memory::server server_;
    nanoseconds (*delay_of_)(std::size_t);
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    waybill::app app_{"waiting", "1"};
    std::unique_ptr<waybill::publisher> publisher_;
    std::shared_ptr<waybill::wiring::runtime> runtime_;
    using due_and_number = std::pair<nanoseconds, std::size_t>;
    std::vector<due_and_number> due_;
    due_and_number last_{};
    std::size_t returned_ = 0;
    std::size_t early_ = 0;
    std::size_t out_of_order_ = 0;
};

nanoseconds half_a_minute(std::size_t) { return 30s; }

/// Up to an hour, another for each.
nanoseconds any_delay(std::size_t which) {
    std::minstd_rand random{static_cast<unsigned>(which + 1)};
    random.discard(2);
    return 1s + nanoseconds{static_cast<std::int64_t>(random()) * 1'600};
}

TEST_CASE("a million retries wait, one time is armed for all, and each comes back at its own") {
    constexpr std::size_t count = 1'000'000;
    waiting_room room{{}, half_a_minute};
    room.fill(count);
    CHECK(room.waiting() == count);
    CHECK(room.next_due() == 30s);
    std::size_t steps = 0;
    while (room.step()) ++steps;
    // Those that began to wait together come back together.
    CHECK(steps == count / 1000);
    CHECK(room.returned() == count);
    CHECK(room.early() == 0);
    CHECK(room.out_of_order() == 0);
    CHECK(room.waiting() == 0);
}

TEST_CASE("a hundred thousand retries with delays of their own come back in order, none early") {
    for (const auto counts : {counting::failures, counting::none}) {
        const bool delays = counts == counting::failures;
        CAPTURE(delays);
        constexpr std::size_t count = 100'000;
        waiting_room room{{.counts = counts, .delays = delays}, any_delay};
        room.fill(count);
        CHECK(room.waiting() == count);
        while (room.next_due()) room.advance(1s);
        CHECK(room.returned() == count);
        CHECK(room.early() == 0);
        CHECK(room.out_of_order() == 0);
    }
}

}  // namespace memory_waiting_test
