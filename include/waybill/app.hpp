/// A service: its brokers, its subscriptions, and how it starts and stops.
///
/// Wired on one thread, then started once. Once it is wired, `health`, `stop` and `request_stop`
/// may be called from any thread. Movable: what `broker` and `subscribe` returned stays valid.
/// Destroying a running app stops it first.
#pragma once

#include <waybill/clock.hpp>
#include <waybill/codec.hpp>
#include <waybill/detail/delay_unit.hpp>
#include <waybill/detail/plan.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/health.hpp>
#include <waybill/log.hpp>
#include <waybill/publisher.hpp>
#include <waybill/router.hpp>
#include <waybill/subscription.hpp>

#include <chrono>
#include <concepts>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Message services: handlers, what they answer, and what becomes of each message.
namespace waybill {

namespace detail {
class app_core;
struct broker_plan;
}  // namespace detail

/// One configured server of an app. Belongs to the app, lives as long, and is wired on the app's
/// thread before the start.
class WAYBILL_API broker {
public:
    /// For the app, which makes it.
    explicit broker(std::shared_ptr<detail::broker_plan> plan) noexcept;

    /// As `router::subscribe`, in the app's codec unless the subscription names one.
    template <class OneFunctionSoCastAnOverloadAndGiveATemplateItsType>
    subscription& subscribe(source from,
                            OneFunctionSoCastAnOverloadAndGiveATemplateItsType&& handler) {
        using given = OneFunctionSoCastAnOverloadAndGiveATemplateItsType;
        return routes().subscribe(std::move(from), std::forward<given>(handler));
    }
    template <std::convertible_to<std::string_view> Text, class Handler>
    subscription& subscribe(Text&& name, Handler&& handler) {  // never compiles: says why
        return routes().subscribe(std::forward<Text>(name), std::forward<Handler>(handler));
    }
    /// Takes in every subscription of the router.
    broker& mount(router group);

    /// May be taken before the start; publishes once the app runs. Uses the app's codec.
    [[nodiscard]] waybill::publisher publisher() const;

private:
    router& routes() noexcept;
    std::shared_ptr<detail::broker_plan> plan_;
};

class WAYBILL_API app {
public:
    /// The name identifies the app to fan-out sources: apps of one name share one copy of each
    /// message. Nothing is checked here; `check` and the start do it all at once.
    app(std::string name, std::string version);
    /// Moving invalidates nothing. An assignment stops and destroys what was here before. @{
    app(app&&) noexcept;
    app& operator=(app&&) noexcept;
    /// @}
    /// Stops the app first, with its limit.
    ~app();

    /// As given; valid with the app. @{
    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] const std::string& version() const noexcept;
    /// @}

    /// Adds a server: `app.broker(waybill::memory::broker{})`. Valid with the app.
    template <class Config>
    waybill::broker& broker(Config config) {
        constexpr bool is_config = std::derived_from<Config, detail::broker_config>;
        static_assert(is_config,
                      "waybill: app.broker takes what a transport configures, as in "
                      "waybill::memory::broker{}");
        if constexpr (is_config) {
            return add_broker(std::make_shared<Config>(std::move(config)));
        }
    }

    /// Shares this many threads among all lanes; then that many blocked handlers hold up the rest.
    /// Default: a thread for each lane.
    app& workers(std::int64_t threads);
    /// For subscriptions and routers that name none. Default: JSON.
    app& codec(waybill::codec format);
    /// The header that carries the retry count, for a fleet shared with another framework.
    /// Default: waybill-retry-count.
    app& retry_count_header(std::string name);
    /// How long a stop waits for handlers before it gives their deliveries back. Default 25 s.
    app& stop_limit(std::chrono::nanoseconds limit);
    template <detail::number Number>  // never compiles: says why
    app& stop_limit(Number) {
        (void)detail::delay_without_unit<Number>{};
        return *this;
    }
    /// Makes a wait that a kill of the process would lose an error of `check` and at start.
    app& require_durable_delays();
    /// Where the app reads the time. Default: the machine's clocks. Shared with the caller; null is
    /// an error of `check`.
    app& time(std::shared_ptr<clock> source);
    /// The least that is logged. Default: info.
    app& log_level(waybill::log_level lowest);
    /// How a line is written. Default: text.
    app& log_format(waybill::log_format format);
    /// Each line without its end; called on any thread, one at a time. Default: standard error,
    /// where a line goes as well for which the sink throws.
    app& log_to(std::function<void(std::string_view)> sink);

    /// Makes the state that handlers take as `state<T>`: called once at start, before the first
    /// delivery. Returns a T, a std::unique_ptr<T> or a std::shared_ptr<T>. What it throws is
    /// why the app failed to start. The state lives as long as the app.
    template <class Maker>
    app& on_startup(Maker make) {
        add_state(state_from(std::move(make)));
        return *this;
    }

    /// Everything that is wrong with the wiring, without connecting; empty when nothing is.
    [[nodiscard]] std::vector<error> check() const;
    /// What is declared and what it comes to on these transports; for people, or as JSON. Works on
    /// wrong wiring too. @{
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string describe_json() const;
    /// @}

    /// Connects and begins to read; returns when handlers may run. All wiring problems at once, or
    /// the one that start-up met. An app starts once. Never throws what user code threw.
    [[nodiscard("an app that did not start says why")]]
    std::expected<void, std::vector<error>> start();
    /// Stops reading, lets handlers finish, gives back the rest; true when all was finished within
    /// the limit. Nothing that waits is lost. Blocks for `stop_limit` at most and a little; not to
    /// be called by a handler, which would wait for itself (`request_stop` is for that). A second
    /// stop does nothing and returns what the first one did.
    bool stop();
    /// Starts, waits for SIGTERM, SIGINT or `request_stop`, stops. Exit code 0; 1 when start-up or
    /// the stop failed; 2 for wiring problems, which are printed to standard error. A second signal
    /// during the stop ends its limit.
    int run();
    /// Makes `run` return, also one that has not begun. Any thread.
    void request_stop() noexcept;

    /// The state at this moment and its reason. Any thread; cheap enough for a probe.
    [[nodiscard]] waybill::health health() const;

    /// For the test kit and tools.
    [[nodiscard]] const std::shared_ptr<detail::app_core>& core() const noexcept { return core_; }

private:
    template <class Maker>
    static detail::state_maker state_from(Maker make);
    waybill::broker& add_broker(std::shared_ptr<detail::broker_config> config);
    void add_state(detail::state_maker maker);

    std::shared_ptr<detail::app_core> core_;
};

namespace detail {

template <class T>
struct pointed {
    using type = T;
    static constexpr bool is_pointer = false;
};
template <class T>
struct pointed<std::shared_ptr<T>> {
    using type = T;
    static constexpr bool is_pointer = true;
};
template <class T, class D>
struct pointed<std::unique_ptr<T, D>> {
    using type = T;
    static constexpr bool is_pointer = true;
};

/// Calls the maker and keeps what it made, whichever way it hands it over.
template <class Maker>
std::shared_ptr<void> made_by(Maker& make) {
    using made = std::invoke_result_t<Maker&>;
    using kept = typename pointed<made>::type;
    if constexpr (pointed<made>::is_pointer) {
        return std::shared_ptr<kept>{make()};
    } else {
        return std::shared_ptr<kept>{new kept(make())};
    }
}

template <class T>
state_maker maker_of(std::function<std::shared_ptr<void>()> make) {
    return {typeid(T), pretty_type<T>(), std::move(make)};
}

}  // namespace detail

template <class Maker>
detail::state_maker app::state_from(Maker make) {
    static_assert(std::is_invocable_v<Maker&>,
                  "waybill: on_startup takes a function without parameters that returns the state");
    using made = std::invoke_result_t<Maker&>;
    static_assert(!std::is_void_v<made>,
                  "waybill: on_startup returns the state that handlers take as state<T>");
    static_assert(!std::is_pointer_v<made> && !std::is_reference_v<made>,
                  "waybill: the app owns its state: let on_startup return a T, a "
                  "std::unique_ptr<T> or a std::shared_ptr<T>");
    using kept = typename detail::pointed<made>::type;
    return detail::maker_of<kept>(
        [shared = std::make_shared<Maker>(std::move(make))] { return detail::made_by(*shared); });
}

}  // namespace waybill
