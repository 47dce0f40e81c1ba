/// One server: its vhosts, its connections, its time, and what a test plans for it.
///
/// One lock guards everything; a `turn` holds it, and when it ends those are told, without the
/// lock, who have something to read.
#pragma once

#include "transport/rabbitmq/server/vhost.hpp"
#include "transport/rabbitmq/settings.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::rabbitmq::fake {

/// Whom a connector's owner wants to be told.
struct listener {
    std::function<void()> told;
};

class server : public std::enable_shared_from_this<server> {
public:
    explicit server(const server_options& how);

    /// The lock, for as long as it lives; what is due on a clock that runs by itself happens first.
    class turn {
    public:
        explicit turn(server& of) : of_{of}, lock_{of.mutex_} { of.catch_up(); }
        ~turn();
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        server& of_;
        std::unique_lock<std::mutex> lock_;
    };

    [[nodiscard]] std::expected<std::unique_ptr<wire>, refusal> open(
        const connection_settings& to, std::string_view name,
        const std::shared_ptr<listener>& told);
    /// Takes over an app's clock, unless others go by another one.
    void adopt(const std::shared_ptr<clock>& time);
    [[nodiscard]] std::optional<nanoseconds> next_due();
    std::size_t tick(nanoseconds now, std::size_t limit);

    // ---- in a turn. @{
    [[nodiscard]] const server_options& how() const noexcept { return around_.how; }
    vhost& at(std::string_view vhost_name);
    void joined(connection& one) { connections_.push_back(&one); }
    void left(connection& one) { std::erase(connections_, &one); }
    [[nodiscard]] const std::vector<connection*>& connections() const { return connections_; }
    void has_news(const std::shared_ptr<listener>& one);
    void trace(std::string_view connection_name, std::string line);
    [[nodiscard]] std::vector<std::string> traced(std::string_view connection_name) const;
    /// When a clock that runs by itself will have something to do.
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due_in_real_time() const;

    void drop_connections(const std::vector<connection*>& all, const refusal& why);
    void restart();
    void plan_fault(const publish_target& to, std::size_t times, publish_fault how);
    std::optional<publish_fault> take_fault(const std::string& exchange, const std::string& key);
    void plan_declarations(std::string_view queue, std::size_t times);
    [[nodiscard]] bool fails_declaration(const std::string& queue);
    void block(std::string_view reason);
    [[nodiscard]] const std::string& blocked() const noexcept { return blocked_; }
    void unblock();
    /// @}

    bool refuses = false;  ///< nobody can connect
    std::optional<std::mt19937_64> confirms_by_chance{};
    std::function<void(const removal&)> watch{};
    std::function<void(const movement&)> watch_moves{};

    [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

private:
    struct plan {
        std::size_t times;
        publish_fault how;
    };

    [[nodiscard]] nanoseconds now() const;
    void catch_up();
    [[nodiscard]] vhost* earliest() const;
    std::size_t tick_locked(nanoseconds now, std::size_t limit);
    [[nodiscard]] bool runs_by_itself() const;

    std::mutex mutex_;
    surroundings around_;
    std::map<std::string, std::unique_ptr<vhost>, std::less<>> vhosts_;
    std::vector<connection*> connections_;
    std::vector<std::shared_ptr<listener>> to_tell_;
    std::map<std::pair<std::string, std::string>, plan> plans_;
    std::map<std::string, std::size_t> declarations_;  ///< that fail, and how often
    std::string blocked_;
    std::deque<std::pair<std::string, std::string>> trace_;
    std::shared_ptr<clock> time_;
    nanoseconds since_{0};  ///< what its clock showed when its own time began
};

}  // namespace waybill::rabbitmq::fake
