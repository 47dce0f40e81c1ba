/// What an `app` owns: its settings and plans, and while it runs, its runtime.
#pragma once

#include "log/logger.hpp"
#include "wiring/signals.hpp"
#include <waybill/app.hpp>
#include <waybill/export.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace waybill::wiring {
class runtime;
}

namespace waybill::detail {

struct app_settings {
    std::string name;
    std::string version;
    std::int64_t workers = 0;  ///< 0: a thread for each lane
    bool workers_declared = false;
    codec format = codecs::json();
    std::string count_header;  ///< empty: the runtime's own name
    std::chrono::nanoseconds stop_limit = std::chrono::seconds{25};
    std::string id_prefix;  ///< of the ids of messages that have none; empty: the runtime's choice
    bool requires_durable_delays = false;
    std::shared_ptr<clock> time = real_clock();
    log::settings log;
};

/// A publisher's way to a broker: open while the app runs. Thread-safe. Keeps the transport, so
/// that a publish that is under way when the app ends finds it.
class broker_link {
public:
    void open(std::shared_ptr<transport> to) {
        kept_ = std::move(to);
        to_.store(kept_.get(), std::memory_order_release);
    }
    void close() noexcept { to_.store(nullptr, std::memory_order_release); }
    [[nodiscard]] transport* get() const noexcept { return to_.load(std::memory_order_acquire); }

    std::shared_ptr<const broker_config> config;

private:
    std::shared_ptr<transport> kept_;
    std::atomic<transport*> to_{nullptr};
};

struct broker_plan {
    std::shared_ptr<const broker_config> config;
    std::shared_ptr<const app_settings> settings;
    std::shared_ptr<broker_link> link = std::make_shared<broker_link>();
    router routes;
};

/// One subscription with everything that its router, its broker and its app decide for it.
struct resolved_subscription {
    const subscription_plan* plan = nullptr;
    std::string name;
    codec format;
    std::size_t broker = 0;
    std::vector<bound_output> outputs;  ///< addresses may be empty until checked
};

class app_core {
public:
    app_core(std::string name, std::string version);
    ~app_core();

    [[nodiscard]] WAYBILL_INNER std::vector<resolved_subscription> resolve() const;

    /// Null until started. Any thread.
    [[nodiscard]] std::shared_ptr<wiring::runtime> running() const {
        const std::lock_guard lock{mutex_};
        return runtime_;
    }
    void run_on(std::shared_ptr<wiring::runtime> made) {
        const std::lock_guard lock{mutex_};
        runtime_ = std::move(made);
    }

    std::shared_ptr<app_settings> settings = std::make_shared<app_settings>();
    std::vector<std::shared_ptr<broker_plan>> plans;
    std::deque<broker> brokers;
    std::vector<state_maker> makers;
    std::shared_ptr<wiring::event> stop_requested = std::make_shared<wiring::event>();
    std::vector<std::shared_ptr<void>> given_states;  ///< by the test kit, one for each maker

private:
    mutable std::mutex mutex_;
    std::shared_ptr<wiring::runtime> runtime_;
};

}  // namespace waybill::detail
