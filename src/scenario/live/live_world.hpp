/// A real RabbitMQ server as a scenario's world, and the gate before it.
#pragma once

#include "scenario/live/admin.hpp"
#include "scenario/live/control.hpp"
#include "scenario/live/gate.hpp"
#include "scenario/rabbitmq_options.hpp"
#include "scenario/world.hpp"
#include "transport/rabbitmq/data.hpp"

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

class live_world final : public world {
public:
    /// `told` outlives it.
    live_world(const scenario& told, rabbitmq::connection_settings to, server_control control);

    /// Connects, and sees to it that the file's queues are not there yet. `may_discard`: they may
    /// hold messages, and be read. Every reason why the file cannot be played on this server.
    [[nodiscard]] std::vector<error> prepare(bool may_discard);
    /// The URL that leads the service to it.
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::size_t connections() const { return gate_.connections(); }
    /// The queues of the file, and those in which copies waited, are deleted.
    void clean_up();
    /// The way to it is open.
    [[nodiscard]] bool is_reachable() const noexcept { return is_reachable_; }
    /// Something went wrong with the server itself.
    [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
    /// A copy waits there.
    void waits_in(const std::string& queue) { waiting_queues_.insert(queue); }
    /// Nothing is ready in a queue of the file, nor waits.
    [[nodiscard]] bool is_empty();

    [[nodiscard]] std::shared_ptr<const detail::broker_config> config() const override {
        return config_;
    }
    /// A quorum queue puts what comes back behind what came back before and was not taken again.
    [[nodiscard]] std::uint64_t returns_in_place() const override { return 1; }
    [[nodiscard]] bool is_remote() const noexcept override { return true; }
    [[nodiscard]] bool is_live() const noexcept override { return true; }
    [[nodiscard]] tag::run_number run() const noexcept override { return run_; }
    void complete(headers& with) const override;
    std::expected<void, error> publish(const outgoing_view& message) override;
    [[nodiscard]] std::vector<std::string> reached_by(const outgoing_view& message) override;
    [[nodiscard]] std::string queue_of(const source& from, std::string_view) const override {
        return from.name;
    }
    void drop_connections() override {
        gate_.shut();
        is_reachable_ = false;
    }
    void reconnect() override {
        gate_.open();
        is_reachable_ = true;
    }
    void killed() override {}
    void fail_publishes(std::string_view, std::uint64_t) override {}
    void remove(std::string_view address, const visitor& visit) override;
    void restart() override;
    [[nodiscard]] std::optional<nanoseconds> next_due() const override { return std::nullopt; }
    void tick(nanoseconds) override {}
    [[nodiscard]] std::map<std::string, std::uint64_t> queued() const override;
    [[nodiscard]] std::uint64_t waiting() const override;
    void watch_removals(visitor) override {}
    void drain(const visitor& visit) override;

private:
    [[nodiscard]] std::uint64_t ready_in(const std::string& queue) const;
    [[nodiscard]] std::set<std::string> queues_of_the_file() const;
    void came_again(std::string_view what);
    std::size_t drain_once(const visitor& visit);

    const scenario& told_;
    const rabbitmq_options& how_;
    rabbitmq::connection_settings to_;
    server_control control_;
    gate gate_;
    mutable admin admin_;
    std::set<std::string> addresses_;
    std::set<std::string> queues_;
    std::set<std::string> waiting_queues_;
    std::shared_ptr<rabbitmq::broker> config_;
    rabbitmq::broker::data declared_;  ///< for the routes alone
    const tag::run_number run_;
    bool is_reachable_ = true;
    std::string trouble_;
};

}  // namespace waybill::scenario
