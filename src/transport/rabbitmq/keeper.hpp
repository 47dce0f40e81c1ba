/// Keeps one connection open: opens it, runs what it is for on one thread, and opens it again, with
/// growing pauses, when it fell.
///
/// Guarantee: a `job` is called on one thread at a time: its own, or, where a test drives the app
/// by hand, the caller's. What was posted for it before `poke` is seen by its next `work`.
#pragma once

#include "transport/rabbitmq/settings.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace waybill::rabbitmq {

/// What a connection is for.
class job : public wire_events {
public:
    /// The connection stands: what is to be on it is set up. An error closes it again.
    virtual std::expected<void, error> opened(wire& on) = 0;
    /// The connection fell, or the server ended it; what was on it is gone.
    virtual void lost(const refusal& why) = 0;
    /// Does what was posted.
    virtual void work(wire& on) = 0;
    /// Was something posted that `work` has not seen?
    [[nodiscard]] virtual bool has_work() const noexcept = 0;
    /// Everything of one `read` was handed over.
    virtual void was_read() {}
    /// The connection is about to be closed: the last that is said on it.
    virtual void closes(wire& /*on*/) {}
    /// When `work` is wanted though nothing was posted.
    [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> due() const { return {}; }

protected:
    ~job() = default;
};

class keeper {
public:
    using task = std::function<std::expected<void, error>(wire&)>;

    /// `name` shows in the server's list of connections, `broker` in what a person reads.
    keeper(connector& to, job& does, detail::transport_host& host, std::string name,
           std::string broker);
    ~keeper();
    keeper(const keeper&) = delete;
    keeper& operator=(const keeper&) = delete;

    /// The first time, on the caller's thread; then the connection's own thread begins.
    std::expected<void, error> start();
    /// Sees to it that `work` is called soon. Any thread; cheap while the connection's is awake.
    void poke() noexcept;
    /// A pause before the next attempt to connect ends. Any thread.
    void try_now() noexcept;
    /// Runs a task on the connection's thread and waits for it.
    std::expected<void, error> ask(task what);
    /// A connection that fell is not opened again; one that stands goes on. Any thread.
    void open_no_more() noexcept;
    /// `work` once more, then the connection is closed and its thread ends. Idempotent.
    void end() noexcept;

    /// Why it is not connected, for a person; empty when it is.
    [[nodiscard]] std::string trouble(std::chrono::nanoseconds now) const;
    /// What the server told of itself last. Good after a start that succeeded.
    [[nodiscard]] server_facts server() const;
    [[nodiscard]] bool is_open() const;

    // ---- driven by hand. @{
    [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const;
    /// Whatever can be done now is done.
    void run_to_rest();
    /// @}

private:
    struct asked {
        task what;
        std::optional<std::expected<void, error>> answer;
    };

    void run();
    bool turn();
    void take_the_rest();
    bool try_to_open();
    std::expected<void, error> open();
    void fell(const refusal& why);
    void pause_after(const error& why);
    std::chrono::nanoseconds next_pause();
    bool do_asked();
    void sleep();
    [[nodiscard]] bool is_idle() const noexcept;

    connector& to_;
    job& job_;
    detail::transport_host& host_;
    std::shared_ptr<clock> time_;
    const std::string name_;
    const std::string broker_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::unique_ptr<wire> wire_;  ///< replaced under the lock, on the connection's thread
    std::vector<asked*> asked_;
    server_facts server_;
    std::string why_;  ///< not connected
    std::chrono::nanoseconds since_{0};
    std::chrono::nanoseconds opened_{0};
    std::chrono::nanoseconds next_try_{0};
    unsigned tries_ = 0;
    bool falls_again_ = false;  ///< soon after it was opened
    std::minstd_rand random_{std::random_device{}()};

    std::atomic<bool> sleeps_{false};
    std::atomic<bool> tries_now_{false};
    std::atomic<bool> opens_no_more_{false};
    std::atomic<bool> ends_{false};
    std::atomic<bool> has_asked_{false};
    bool runs_ = false;  ///< by hand: a turn is under way
    bool runs_again_ = false;
    std::thread thread_;
};

}  // namespace waybill::rabbitmq
