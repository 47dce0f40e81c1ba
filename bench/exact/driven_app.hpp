/// An app whose lanes, timers and clock the measuring thread drives; everything else is the
/// production runtime.
///
/// The clock stands still, because the length of a batch depends on how quick it is: on the real
/// one a figure would say how fast callgrind is.
#pragma once

#include "messages.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace bench {

using payload = std::span<const std::byte>;

inline constexpr std::string_view small_text = R"({"order":1234567,"cents":49})";
static_assert(small_text.size() == 28);
inline const payload small = std::as_bytes(std::span{small_text});

class driven_app {
public:
    explicit driven_app(waybill::memory::options how = {})
        : app_{"bench", "1"}, server_{how}, broker_{app_.broker(waybill::memory::broker{server_})} {
        app_.time(time_).log_level(waybill::log_level::off);
        publisher_.emplace(broker_.publisher());
    }
    ~driven_app() {
        if (runtime_) runtime_->stop(std::chrono::seconds{1});
    }
    driven_app(const driven_app&) = delete;
    driven_app& operator=(const driven_app&) = delete;

    template <class Handler>
    waybill::subscription& subscribe(std::string_view from, Handler handler) {
        return broker_.subscribe(waybill::memory::queue(std::string{from}), handler)
            .inline_handler();
    }
    /// The subscription that most figures are about: five attempts, then the dead letter.
    template <class Handler>
    waybill::subscription& subscribe_orders(Handler handler) {
        return subscribe(orders, handler).max_attempts(5).dead_letter(dead);
    }
    void start(waybill::wiring::run_mode mode = waybill::wiring::run_mode::by_hand) {
        runtime_ = waybill::wiring::runtime::make(*app_.core(), mode, nullptr);
        if (!runtime_->start()) std::abort();
    }

    void publish(payload bytes, std::size_t count, const waybill::headers& with = {}) {
        for (std::size_t at = 0; at < count; ++at) {
            if (!publisher_->publish(orders, bytes, with)) std::abort();
        }
    }
    /// Until nothing is left to do now.
    void drain() {
        while (runtime_->run_one()) {
        }
    }
    /// Moves the clock and fires what is due by then.
    void advance(std::chrono::nanoseconds span) {
        time_->advance_by(span);
        runtime_->tick(time_->now(), std::numeric_limits<std::size_t>::max());
    }
    /// Empties the server of all that nobody reads.
    void forget() { server_.crash(); }

    [[nodiscard]] std::size_t waiting() const {
        return server_.waiting() + runtime_->waiting_in_process();
    }

    static constexpr const char* orders = "orders.requested";
    static constexpr const char* dead = "payments.dead";

private:
    waybill::app app_;
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    waybill::memory::server server_;
    waybill::broker& broker_;
    std::optional<waybill::publisher> publisher_;
    std::shared_ptr<waybill::wiring::runtime> runtime_;
};

/// What the handlers of a case have seen: so that none is optimised away, and a case that handled
/// something else than it says ends the program.
struct tally {
    std::uint64_t handled = 0;
    std::uint64_t sum = 0;

    void add(std::uint64_t value) noexcept {
        ++handled;
        sum += value;
    }
    void expect(std::size_t deliveries) const {
        if (handled == deliveries && sum != 0) return;
        std::cerr << "expected " << deliveries << " deliveries, saw " << handled << '\n';
        std::exit(1);
    }
};

}  // namespace bench
