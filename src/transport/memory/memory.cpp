#include "transport/memory/pattern.hpp"
#include "transport/memory/store.hpp"
#include "wiring/waiting_ticket.hpp"
#include <waybill/clock.hpp>
#include <waybill/memory.hpp>

#include <algorithm>

namespace waybill::memory {

using detail::publish_status;
using std::chrono::nanoseconds;
using wiring::waiting_ticket;

namespace {

error bad_name(std::string_view name, std::string problem, std::string fix) {
    return {errc::wiring, std::string{name}, std::move(problem), std::move(fix)};
}

detail::count_support count_support_of(counting counts) {
    switch (counts) {
        case counting::failures:
            return detail::count_support::failures;
        case counting::returns:
            return detail::count_support::returns;
        case counting::none:
            break;
    }
    return detail::count_support::none;
}

/// One subscription's reading end.
class consumer final : public detail::consumer {
public:
    consumer(std::shared_ptr<store> at, const source& from, std::string_view identity,
             detail::consumer_listener& listener, client& by)
        : store_{std::move(at)},
          time_{by.time},
          reader_{store_->open(from, identity, listener, by)} {}
    ~consumer() override { store_->close(*reader_); }

    std::size_t take(std::span<detail::received> room) override {
        return store_->take(*reader_, room, *time_);
    }
    [[nodiscard]] std::size_t available() const noexcept override {
        return store_->available(*reader_);
    }
    void settle(std::span<const detail::settle_op> operations) override {
        const bool delays = std::any_of(operations.begin(), operations.end(), [](const auto& each) {
            return each.delay > each.delay.zero();
        });
        store_->settle(*reader_, operations, delays ? time_->now() : nanoseconds{0});
        if (delays) store_->tell_hosts();
    }
    [[nodiscard]] std::uint64_t generation() const noexcept override {
        return store::generation(*reader_);
    }
    void cancel() noexcept override { store_->cancel(*reader_); }

private:
    std::shared_ptr<store> store_;
    std::shared_ptr<clock> time_;
    std::unique_ptr<reader> reader_;
};

/// An app's connection to the server.
class connection final : public detail::transport {
public:
    connection(std::shared_ptr<store> at, detail::transport_host& host) : store_{std::move(at)} {
        self_.host = &host;
        self_.time = host.time();
        store_->connect(self_);
    }
    ~connection() override {
        if (!closed_) connection::close();
    }

    std::expected<std::unique_ptr<detail::consumer>, error> consume(
        const source& from, std::string_view reader, detail::consumer_listener& listener) override {
        if (closed_) return std::unexpected(stopped(from.name));
        return std::make_unique<consumer>(store_, from, reader, listener, self_);
    }
    std::expected<void, error> declare(std::string_view address, const source&) override {
        if (closed_) return std::unexpected(stopped(address));
        store_->declare(address);
        return {};
    }
    publish_status publish(const outgoing_view& message, detail::publish_ticket* ticket) override {
        if (closed_.load(std::memory_order_relaxed)) return publish_status::lost;
        if ((message.delay.count() | message.time_to_live.count()) == 0) [[likely]]
            return store_->publish(message, self_, ticket);
        return store_->publish_with_care(message, self_, ticket);
    }
    [[nodiscard]] std::optional<error> explain(std::string_view address,
                                               publish_status status) const override {
        return store_->explain(address, status, self_);
    }
    [[nodiscard]] std::string trouble(nanoseconds now) const override {
        return store_->trouble(self_, now);
    }
    [[nodiscard]] std::optional<nanoseconds> next_due() const override {
        return store_->next_due();
    }
    std::size_t tick(nanoseconds now, std::size_t limit) override {
        return store_->tick(now, limit);
    }
    void close() noexcept override {
        closed_ = true;
        store_->disconnect(self_);
    }

private:
    static error stopped(std::string_view where) {
        return {errc::stopped, std::string{where}, "the broker's connection is closed",
                "start a new app to connect again"};
    }

    std::shared_ptr<store> store_;
    client self_;
    std::atomic<bool> closed_{false};
};

}  // namespace

server::server() : server{options{}} {}
server::server(const options& how, std::string name)
    : store_{std::make_shared<store>(how)},
      name_{std::make_shared<const std::string>(std::move(name))} {}

std::expected<void, error> server::publish(std::string_view address,
                                           std::span<const std::byte> payload,
                                           const headers& with) const {
    if (auto problem = address_problem(address); !problem.empty()) {
        return std::unexpected(error{errc::argument, std::string{address}, std::move(problem),
                                     "publish to a name without * and >"});
    }
    auto& outside = store_->outside();
    waiting_ticket ticket;
    auto status = store_->publish({address, payload, with.packed()}, outside, &ticket);
    if (status == publish_status::pending) status = ticket.wait();
    if (status == publish_status::confirmed) return {};
    if (status == publish_status::lost) {
        return std::unexpected(error{errc::stopped, std::string{address},
                                     "the last app that could have made room at the full address "
                                     "has ended",
                                     "the message was not taken; publish it again"});
    }
    if (auto known = store_->explain(address, status, outside)) {
        return std::unexpected(std::move(*known));
    }
    return std::unexpected(error{errc::refused, std::string{address},
                                 "a message with its headers cannot be above 4 GiB",
                                 "send a smaller one"});
}

std::expected<void, error> server::publish(std::string_view address, std::string_view payload,
                                           const headers& with) const {
    return publish(address, std::as_bytes(std::span{payload}), with);
}

std::size_t server::queued(std::string_view name) const { return store_->queued(name); }
std::size_t server::unsettled() const { return store_->unsettled(); }
std::size_t server::waiting() const { return store_->waiting(); }
void server::limit(std::string_view address, const limits& at) const { store_->limit(address, at); }
void server::retain(std::string_view address, const retention& how) const {
    store_->retain(address, how);
}
std::uint64_t server::dropped_at_limit() const { return store_->removed().over_limit; }
std::uint64_t server::expired() const { return store_->removed().expired; }
std::uint64_t server::retired() const { return store_->removed().retired; }
void server::fail_publishes(std::string_view address, std::size_t times, publish_fault how) const {
    store_->fail_publishes(address, times, how);
}
void server::drop_connections() const { store_->drop_connections(); }
void server::crash() const { store_->crash(); }

broker::broker() = default;
broker::broker(const options& how, std::string name) : server_{how, std::move(name)} {}
broker::broker(const memory::server& at) : server_{at} {}

detail::capabilities broker::capabilities_of(const source&) const {
    const auto& how = server_.shared()->how();
    detail::capabilities can;
    const bool counts = how.counts != counting::none;
    can.requeue = counts ? detail::requeue_support::counted : detail::requeue_support::uncounted;
    can.counts = count_support_of(how.counts);
    can.delay = how.delays ? detail::delay_support::broker : detail::delay_support::none;
    can.delays_copies = how.delays;
    can.loses = how.outlives_crash ? detail::kill_loss::nothing : detail::kill_loss::everything;
    can.crash_is_counted = counts && how.outlives_crash;
    can.stop_is_counted = how.counts == counting::returns;
    can.delivery_limit = counts ? how.delivery_limit : 0;
    return can;
}

std::optional<error> broker::check_address(std::string_view address) const {
    auto problem = address_problem(address);
    if (problem.empty()) return std::nullopt;
    return bad_name(address, std::move(problem), "name one address, without * and >");
}

std::optional<error> broker::check_source(const source& from) const {
    auto problem = source_problem(from.name);
    if (problem.empty()) return std::nullopt;
    return bad_name(from.name, std::move(problem),
                    "a source is words between dots, * for one word, > at the end for the rest");
}

bool broker::is_same_server(const detail::broker_config& other) const {
    const auto* memory = dynamic_cast<const broker*>(&other);
    return memory != nullptr && memory->server_.shared() == server_.shared();
}

bool broker::reads(const source& from, std::string_view address) const {
    return matches(from.name, address);
}

std::expected<std::unique_ptr<detail::transport>, error> broker::connect(
    detail::transport_host& host) const {
    return std::make_unique<connection>(server_.shared(), host);
}

source queue(std::string name) { return {"memory", std::move(name), false}; }
source fan_out(std::string name, start from) {
    return {"memory", std::move(name), true, from == start::oldest};
}

}  // namespace waybill::memory
