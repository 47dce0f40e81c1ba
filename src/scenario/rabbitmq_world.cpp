#include "scenario/rabbitmq_world.hpp"

#include "scenario/rabbitmq_broker.hpp"
#include "scenario/rabbitmq_options.hpp"
#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/profile.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

namespace waybill::scenario {
namespace {

constexpr std::string_view vhost = "/";

/// The host of a run's server. Runs on several threads do not meet, and a run by itself is always
/// at the same one, which shows in what the service says.
class host_name {
public:
    [[nodiscard]] static std::string of_this_thread() {
        static thread_local const host_name mine;
        return mine.number_ == 1 ? "simulated" : "simulated-" + std::to_string(mine.number_);
    }

    host_name() {
        const std::lock_guard lock{mutex()};
        while (used().contains(number_)) ++number_;
        used().insert(number_);
    }
    ~host_name() {
        const std::lock_guard lock{mutex()};
        used().erase(number_);
    }
    host_name(const host_name&) = delete;
    host_name& operator=(const host_name&) = delete;

private:
    static std::mutex& mutex() {
        static std::mutex only;
        return only;
    }
    static std::set<unsigned>& used() {
        static std::set<unsigned> all;
        return all;
    }
    unsigned number_ = 1;
};

std::string url_for(const rabbitmq_options& how) {
    auto url = "amqp://" + host_name::of_this_thread();
    if (how.frame_max != 0) url += "/%2f?frame_max=" + std::to_string(how.frame_max);
    return url;
}

rabbitmq::server_options options_for(const rabbitmq_options& how,
                                     std::shared_ptr<manual_clock> time) {
    rabbitmq::server_options made;
    using rabbitmq::server_version;
    made.version = how.version.major < 4    ? server_version::v3_10
                   : how.version.minor == 0 ? server_version::v4_0
                                            : server_version::v4_3;
    made.time = std::move(time);
    return made;
}

/// The broker, which knows its server's version although it is not connected.
class broker_of_version final : public detail::broker_config {
public:
    broker_of_version(rabbitmq::broker behind, rabbitmq::version_number version)
        : behind_{std::move(behind)}, version_{version} {}

    [[nodiscard]] std::string_view transport_name() const noexcept override {
        return behind_.transport_name();
    }
    [[nodiscard]] std::string describe() const override { return behind_.describe(); }
    [[nodiscard]] std::vector<error> problems() const override { return behind_.problems(); }
    [[nodiscard]] detail::capabilities capabilities_of(const source& from) const override {
        return capabilities_for(rabbitmq::said_of(from), rabbitmq::waits::in_queues, version_);
    }
    [[nodiscard]] std::optional<error> check_address(std::string_view address) const override {
        return behind_.check_address(address);
    }
    [[nodiscard]] std::optional<error> check_source(const source& from) const override {
        return behind_.check_source(from);
    }
    [[nodiscard]] bool reads(const source& from, std::string_view address) const override {
        return behind_.reads(from, address);
    }
    [[nodiscard]] std::expected<std::unique_ptr<detail::transport>, error> connect(
        detail::transport_host& host) const override {
        return behind_.connect(host);
    }

private:
    rabbitmq::broker behind_;
    rabbitmq::version_number version_;
};

class rabbitmq_world final : public world {
public:
    rabbitmq_world(const scenario& told, const rabbitmq_options& how,
                   std::shared_ptr<manual_clock> time)
        : url_{url_for(how)},
          server_{url_, options_for(how, std::move(time))},
          addresses_{addresses_of(told)},
          config_{
              std::make_shared<broker_of_version>(rabbitmq_broker_of(told, url_), how.version)} {}

    [[nodiscard]] std::shared_ptr<const detail::broker_config> config() const override {
        return config_;
    }
    /// A quorum queue puts what comes back behind what came back before and was not taken again.
    [[nodiscard]] std::uint64_t returns_in_place() const override { return 1; }
    [[nodiscard]] bool is_remote() const noexcept override { return true; }

    /// As careful publishers do, who want it to outlive a restart of the server.
    void complete(headers& with) const override {
        if (with.contains(rabbitmq::property::delivery_mode)) return;
        constexpr std::uint64_t persistent = 2;
        with.append(rabbitmq::property::delivery_mode,
                    rabbitmq::as(rabbitmq::wire_type::u8, persistent));
    }
    std::expected<void, error> publish(const outgoing_view& message) override {
        const auto where = rabbitmq::read_address(message.address);
        if (!where) return std::unexpected(refused(message, where.error()));
        try {
            const auto with = headers::borrow(message.packed_headers);
            const auto took = server_.publish(target(*where), message.payload, with);
            if (took == 0 && !server_.reached_by(target(*where), with).empty()) {
                return std::unexpected(refused(message, "its queue is full"));
            }
        } catch (const std::invalid_argument& wrong) {
            return std::unexpected(refused(message, wrong.what()));
        }
        return {};
    }
    [[nodiscard]] std::vector<std::string> reached_by(const outgoing_view& message) override {
        const auto where = rabbitmq::read_address(message.address);
        if (!where) return {};
        try {
            return server_.reached_by(target(*where), headers::borrow(message.packed_headers));
        } catch (const std::invalid_argument&) {
            return {};  // the server takes no such message
        }
    }
    [[nodiscard]] std::string queue_of(const source& from, std::string_view) const override {
        return from.name;
    }

    void begins() override {
        is_running_ = true;
        server_.refuse_connections(!is_reachable_);
    }
    void drop_connections() override {
        is_reachable_ = false;
        server_.refuse_connections(true);
        server_.drop_connections();
    }
    void reconnect() override {
        is_reachable_ = true;
        server_.refuse_connections(!is_running_);
    }
    /// A dead process must not come back.
    void killed() override {
        is_running_ = false;
        server_.refuse_connections(true);
        server_.drop_connections();
    }
    /// Within the service's own process, where it also reaches copies on their way to a wait.
    void fail_publishes(std::string_view, std::uint64_t) override {}
    void remove(std::string_view address, const visitor&) override {
        const auto where = rabbitmq::read_address(address);
        if (!where) return;
        where->is_queue() ? server_.delete_queue(where->key)
                          : server_.delete_exchange(where->exchange);
    }
    void restart() override { server_.restart(); }

    [[nodiscard]] std::optional<nanoseconds> next_due() const override {
        return server_.next_due();
    }
    void tick(nanoseconds now) override { server_.tick(now, 1); }

    [[nodiscard]] std::map<std::string, std::uint64_t> queued() const override {
        std::map<std::string, std::uint64_t> all;
        for (const auto& name : server_.queues()) {
            const auto ready = server_.queued(name);
            if (ready != 0 && !is_waiting_queue(name)) all[name] = ready;
        }
        return all;
    }
    [[nodiscard]] std::uint64_t waiting() const override { return server_.waiting(); }

    /// What the service has rejected it has told of itself.
    void watch_removals(visitor told) override {
        server_.watch_removals([this, told = std::move(told)](const rabbitmq::removal& one) {
            if (one.reason == "rejected") return;
            told(arrives_in(std::string{one.queue}), one.packed_headers);
        });
    }
    /// What comes back from its wait is in the books where it arrives already.
    void watch_moves(std::function<void(const movement&)> told) override {
        server_.watch_moves([told = std::move(told)](const rabbitmq::movement& one) {
            if (is_waiting_queue(one.from)) return;
            const bool is_settled = one.reason == "rejected" || !one.is_first;
            told({one.from, one.to, is_settled, one.packed_headers});
        });
    }
    void drain(const visitor& visit) override {
        server_.drain([&](const std::string& queue, const rabbitmq::stored_message& message) {
            visit(arrives_in(queue), message.with.packed());
        });
    }

private:
    static rabbitmq::publish_target target(const rabbitmq::target& where) {
        return {where.exchange, where.key};
    }
    static error refused(const outgoing_view& message, std::string why) {
        return {errc::publish, std::string{message.address}, std::move(why), ""};
    }
    /// In the books a copy that waits is where it will arrive.
    [[nodiscard]] std::string arrives_in(const std::string& queue) const {
        if (!is_waiting_queue(queue)) return queue;
        auto origin = origin_of(queue, vhost, addresses_);
        return origin.empty() ? queue : origin;
    }

    std::string url_;
    rabbitmq::fake_server server_;
    std::set<std::string> addresses_;
    std::shared_ptr<broker_of_version> config_;
    bool is_running_ = false;
    bool is_reachable_ = true;
};

}  // namespace

std::unique_ptr<world> open_rabbitmq_world(const scenario& told,
                                           std::shared_ptr<manual_clock> time) {
    const auto& how = static_cast<const rabbitmq_options&>(*told.broker);
    return std::make_unique<rabbitmq_world>(told, how, std::move(time));
}

}  // namespace waybill::scenario
