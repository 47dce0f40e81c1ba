/// An executor with everything around it that a lane would give it: a fake transport, a clock that
/// stands still, real timers and the real store of delays.
#pragma once

#include "fake_transport.hpp"
#include "settle/execute.hpp"
#include <waybill/clock.hpp>

#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace support {

namespace settle = waybill::settle;

class settle_rig final : public settle::home {
public:
    /// A subscription "charge" on "orders" with a cap of 5 and the dead letter "orders.dead", on a
    /// transport that neither counts nor delays: every retry is a copy.
    settle_rig() {
        declared.name = "charge";
        declared.from = {"fake", "orders", false};
        declared.max_attempts = 5;
        declared.dead_letter = "orders.dead";
        share(shared);
    }

    /// Gives a subscription of the test's own what the rig's has.
    void share(settle::scope& with) {
        with.declared = &declared;
        with.rule.can.requeue = waybill::detail::requeue_support::uncounted;
        with.rule.cap = 5;
        with.rule.has_dead_letter = true;
        with.count.reader = "orders";
        with.count.cap = 5;
        with.consumer = &consumer;
        with.transport = &transport;
        with.store = &store;
        with.wakes = &timers;
        with.time = time.get();
        with.log = &log;
        with.trouble = &trouble;
        with.ids = &ids;
        waybill::pack_place(with.place, declared.from.name, declared.name, "host");
    }

    /// A delivery in hand, as a lane would look at it.
    settle::case_file receive(std::string_view payload = "body", waybill::headers with = {},
                              std::uint32_t counted = 0) {
        auto& kept = kept_.emplace_back(
            message{static_cast<int>(kept_.size()) + 1, std::string{payload}, std::move(with)});
        settle::case_file file;
        file.from.address = "orders";
        file.from.payload = std::as_bytes(std::span{kept.payload});
        file.from.packed_headers = kept.with.packed();
        file.from.token = &kept.number;
        file.from.generation = consumer.generation();
        file.from.counted = counted;
        file.past = settle::read_history(file.from.packed_headers, shared.count);
        file.attempt = settle::attempt_of(file.past.carried, counted);
        return file;
    }

    /// Ends the lane's turn: what other threads posted arrives, what is settled is handed over.
    void turn() {
        while (has_mail()) deliver();
        executor.flush();
    }
    void advance(std::chrono::nanoseconds span) {
        turn();
        const auto end = time->now() + span;
        for (auto due = timers.next_due(); due && *due <= end; due = timers.next_due()) {
            time->advance_to(*due);
            timers.fire_due(*due, 1);
            turn();
        }
        time->advance_to(end);
    }
    /// The trace since the last call.
    trace happened() { return std::exchange(trace_, {}); }

private:
    struct message {
        int number;
        std::string payload;
        waybill::headers with;
    };
    void wake() noexcept override {}
    void resume(const settle::case_file& about) noexcept override { resumed.push_back(about); }

    trace trace_;
    std::deque<message> kept_;

public:
    std::vector<settle::case_file> resumed;  ///< what was held and may be handled now
    waybill::declaration declared;
    std::shared_ptr<waybill::manual_clock> time = std::make_shared<waybill::manual_clock>();
    fake_consumer consumer{trace_};
    fake_transport transport{trace_};
    waybill::time::timers timers{[] {}};
    waybill::time::memory_delay_store store{transport, timers, time};
    std::vector<std::string> lines;
    waybill::log::logger log{{waybill::log_level::debug, waybill::log_format::text,
                              [this](std::string_view line) { lines.emplace_back(line); }}};
    settle::conditions trouble;
    settle::id_source ids{"id"};
    settle::scope shared;
    settle::executor executor{shared, *this};
};

}  // namespace support
