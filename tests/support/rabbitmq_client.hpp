/// A client of the RabbitMQ server in memory that a test drives by hand: it does what it is told,
/// and writes down what it reads.
#pragma once

#include "transport/rabbitmq/settings.hpp"
#include "transport/rabbitmq/values.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/clock.hpp>
#include <waybill/rabbitmq_testing.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::test {

namespace mq = waybill::rabbitmq;

/// One delivery as it arrived.
struct mq_delivery {
    mq::channel_id channel;
    std::string consumer;
    std::uint64_t tag;
    bool redelivered;
    std::string exchange;
    std::string key;
    headers with;
    std::string body;
};

class mq_client final : public mq::wire_events {
public:
    explicit mq_client(const std::shared_ptr<manual_clock>& time, std::string_view name = "client",
                       std::string_view vhost = "/") {
        mq::connection_settings to;
        to.hosts = {{"127.0.0.1", 5672}};
        to.vhost = vhost;
        connector_ = mq::the_stand_in().load()(to, time, false);
        if (connector_ == nullptr) throw std::runtime_error{"no server stands there"};
        connector_->on_news([this] { ++times_told; });
        auto opened = connector_->open(name);
        if (!opened) throw std::runtime_error{opened.error().message()};
        wire_ = std::move(*opened);
        (void)wire_->open_channel(1);
    }

    mq::wire* operator->() const { return wire_.get(); }
    [[nodiscard]] mq::connector& connector() const { return *connector_; }
    void leave() { wire_.reset(); }

    /// Everything it did not get from the server's own words is a failure of the test.
    std::string declare(std::string name, const headers& arguments = {}, bool durable = true) {
        return text(wire_->declare(
            1, mq::queue_spec{std::move(name), durable, false, false, arguments}, false));
    }
    std::string declare_exchange(std::string name, std::string type,
                                 const headers& arguments = {}) {
        return text(wire_->declare(
            1, mq::exchange_spec{std::move(name), std::move(type), true, false, false, arguments},
            false));
    }
    std::string bind(std::string_view queue, std::string_view exchange, std::string_view key,
                     const headers& arguments = {}) {
        return text(wire_->bind_queue(1, queue, exchange, key, arguments));
    }
    std::string consume(std::string_view queue, std::uint16_t prefetch = 0,
                        std::string_view tag = {}, const headers& arguments = {}) {
        (void)wire_->prefetch(1, prefetch);
        return text(wire_->consume(1, queue, tag.empty() ? queue : tag, false, arguments));
    }
    void publish(std::string_view exchange, std::string_view key, std::string_view body,
                 const headers& with = {}, bool mandatory = true) {
        wire_->publish(1,
                       {exchange, key, with.packed(), std::as_bytes(std::span{body}), mandatory});
    }
    /// "" or the refusal.
    template <class T>
    static std::string text(const mq::wire::answer<T>& answer) {
        if (answer) return "";
        return std::to_string(answer.error().code) + ' ' + answer.error().text;
    }

    /// Reads what there is: false when nothing.
    bool read() {
        const auto done = wire_->read(*this);
        if (!done) {
            fallen = true;
            log += "fallen\n";
        }
        return done.value_or(false);
    }
    /// What was delivered since the last time: "a b+", with + where it was before.
    std::string bodies() {
        read();
        std::string all;
        for (const auto& each : deliveries) {
            if (!all.empty()) all += ' ';
            all += each.body;
            if (each.redelivered) all += '+';
        }
        last = std::move(deliveries);
        deliveries.clear();
        return all;
    }
    /// What else came, a line each.
    std::string said() {
        read();
        return std::exchange(log, {});
    }
    void ack_all() {
        for (const auto& each : last) wire_->ack(each.channel, each.tag, false);
        last.clear();
    }

    std::byte* begins(const mq::arrival& head) override {
        deliveries.push_back({head.channel, std::string{head.consumer}, head.tag, head.redelivered,
                              std::string{head.exchange}, std::string{head.key},
                              headers::copy_of(head.packed_headers),
                              std::string(head.body_size, '?')});
        return reinterpret_cast<std::byte*>(deliveries.back().body.data());
    }
    void arrived() override { ++arrivals; }
    void returned(const mq::returned_message& what) override {
        log += "return " + std::to_string(what.code) + ' ' + std::string{what.key} + '\n';
    }
    void confirmed(mq::channel_id /*channel*/, std::uint64_t tag, bool multiple,
                   bool taken) override {
        log += (taken ? "ack " : "nack ") + std::to_string(tag) + (multiple ? " multiple\n" : "\n");
    }
    void cancelled(mq::channel_id /*channel*/, std::string_view consumer) override {
        log += "cancel " + std::string{consumer} + '\n';
    }
    void channel_closed(mq::channel_id /*channel*/, const mq::refusal& why) override {
        log += "closed " + std::to_string(why.code) + ' ' + why.text + '\n';
    }
    void blocked(std::string_view reason) override {
        log += reason.empty() ? "unblocked\n" : "blocked " + std::string{reason} + '\n';
    }

    std::vector<mq_delivery> deliveries;
    std::vector<mq_delivery> last;
    std::string log;
    std::size_t arrivals = 0;
    std::size_t times_told = 0;
    bool fallen = false;

private:
    std::unique_ptr<mq::connector> connector_;
    std::unique_ptr<mq::wire> wire_;
};

/// A server with a clock that stands until the test moves it.
struct mq_rig {
    explicit mq_rig(mq::server_version version = mq::server_version::v4_0,
                    mq::server_options how = {})
        : server{"amqp://127.0.0.1:5672", with(how, version, time)} {}

    void advance(std::chrono::nanoseconds by) {
        time->advance_by(by);
        server.tick(time->now(), static_cast<std::size_t>(-1));
    }

    std::shared_ptr<manual_clock> time = std::make_shared<manual_clock>();
    mq::fake_server server;

private:
    static mq::server_options with(mq::server_options how, mq::server_version version,
                                   const std::shared_ptr<manual_clock>& time) {
        how.version = version;
        how.time = time;
        return how;
    }
};

}  // namespace waybill::test
