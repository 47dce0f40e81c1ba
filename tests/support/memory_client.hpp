/// A connection to a memory server that a test drives by hand, and what it takes.
#pragma once

#include <waybill/clock.hpp>
#include <waybill/memory.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::test {

using detail::publish_status;
using detail::received;
using detail::settle_kind;

/// Remembers how a publish ended that waited.
class slip final : public detail::publish_ticket {
public:
    explicit slip(bool thread_waits = false) : thread_waits_{thread_waits} {}

    void published(publish_status status) noexcept override {
        status_ = status;
        ++times_;
    }
    [[nodiscard]] bool blocks() const noexcept override { return thread_waits_; }
    /// `pending` until it was told.
    [[nodiscard]] publish_status status() const noexcept { return status_; }
    [[nodiscard]] int times() const noexcept { return times_; }

private:
    bool thread_waits_;
    publish_status status_ = publish_status::pending;
    int times_ = 0;
};

/// One app's connection, driven by hand.
class client final : public waybill::detail::transport_host,
                     public waybill::detail::consumer_listener {
public:
    explicit client(const memory::server& at, bool driven_by_hand = true)
        : by_hand{driven_by_hand}, broker_{at}, link_{broker_.connect(*this).value()} {}

    /// A reader of its own; the identity is what an app would give it.
    waybill::detail::consumer& reads(const waybill::source& from) {
        const auto identity = from.fan_out ? name + '/' + from.name : from.name;
        return *readers.emplace_back(link_->consume(from, identity, *this).value());
    }
    publish_status publish(std::string_view address, std::string_view payload,
                           std::chrono::nanoseconds delay = {}) {
        return link_->publish({address, std::as_bytes(std::span{payload}), {}, delay}, nullptr);
    }
    /// The same with a ticket, as a lane has one, and a time to live.
    publish_status send(std::string_view address, std::string_view payload,
                        detail::publish_ticket& ticket,
                        std::chrono::nanoseconds time_to_live = {}) {
        return link_->publish({address, std::as_bytes(std::span{payload}), {}, {}, time_to_live},
                              &ticket);
    }
    publish_status publish_for(std::chrono::nanoseconds time_to_live, std::string_view address,
                               std::string_view payload, std::chrono::nanoseconds delay = {}) {
        return link_->publish({address, std::as_bytes(std::span{payload}), {}, delay, time_to_live},
                              nullptr);
    }
    void advance(std::chrono::nanoseconds span) {
        time_->advance_by(span);
        link_->tick(time_->now(), 1000);
    }
    [[nodiscard]] waybill::detail::transport& link() { return *link_; }

    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return time_; }
    void timer_changed() noexcept override { ++timer_changes; }
    [[nodiscard]] bool is_driven_by_hand() const noexcept override { return by_hand; }
    void ready() noexcept override { ++notices; }
    void reconnected() noexcept override {}

    std::string name = "app";
    bool by_hand = true;
    int notices = 0;
    int timer_changes = 0;
    std::vector<std::unique_ptr<waybill::detail::consumer>> readers;

private:
    memory::broker broker_;
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    std::unique_ptr<waybill::detail::transport> link_;
};

inline std::vector<received> take(waybill::detail::consumer& from, std::size_t most = 100) {
    std::vector<received> all(most);
    all.resize(from.take(all));
    return all;
}

inline std::string text_of(const received& message) {
    return {reinterpret_cast<const char*>(message.payload.data()), message.payload.size()};
}

/// "a b c", with "a/1" where the broker counted one failure.
inline std::string texts_of(const std::vector<received>& all) {
    std::string text;
    for (const auto& each : all) {
        if (!text.empty()) text += ' ';
        text += text_of(each);
        if (each.counted != 0) text += '/' + std::to_string(each.counted);
    }
    return text;
}

inline void settle(waybill::detail::consumer& with, const std::vector<received>& all,
                   settle_kind kind, std::chrono::nanoseconds delay = {}) {
    std::vector<waybill::detail::settle_op> operations;
    for (const auto& each : all) operations.push_back({each.token, each.generation, delay, kind});
    with.settle(operations);
}

}  // namespace waybill::test
