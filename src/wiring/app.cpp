#include "wiring/app_core.hpp"
#include "wiring/check.hpp"
#include "wiring/describe.hpp"
#include "wiring/runtime.hpp"
#include "wiring/signals.hpp"
#include <waybill/app.hpp>

namespace waybill {

namespace detail {

app_core::app_core(std::string name, std::string version) {
    settings->name = std::move(name);
    settings->version = std::move(version);
}

app_core::~app_core() {
    if (runtime_) runtime_->stop(settings->stop_limit);
}

namespace {

std::string route_of(const subscription_plan& plan, const output_spec& output) {
    if (output.is_reply && plan.declared.reply_to) return *plan.declared.reply_to;
    for (const auto& route : plan.routes) {
        if (route.type == output.type) return route.address;
    }
    return std::string{output.own_address};
}

}  // namespace

std::vector<resolved_subscription> app_core::resolve() const {
    std::vector<resolved_subscription> all;
    for (std::size_t at = 0; at < plans.size(); ++at) {
        for (const auto& plan : plans[at]->routes.plans()) {
            resolved_subscription made;
            made.plan = plan.get();
            made.format = plan->format ? plan->format : settings->format;
            made.broker = at;
            if (plan->declared.name.empty()) plan->declared.name = plan->declared.from.name;
            made.name = plan->declared.name;
            for (const auto& output : plan->handler.outputs) {
                made.outputs.push_back({route_of(*plan, output), made.format, output.type});
            }
            all.push_back(std::move(made));
        }
    }
    return all;
}

}  // namespace detail

broker::broker(std::shared_ptr<detail::broker_plan> plan) noexcept : plan_{std::move(plan)} {}

router& broker::routes() noexcept { return plan_->routes; }

broker& broker::mount(router group) {
    plan_->routes.mount(std::move(group));
    return *this;
}

publisher broker::publisher() const { return {plan_->link, plan_->settings->format}; }

app::app(std::string name, std::string version)
    : core_{std::make_shared<detail::app_core>(std::move(name), std::move(version))} {}
app::app(app&&) noexcept = default;
app& app::operator=(app&&) noexcept = default;
app::~app() {
    if (core_) stop();
}

const std::string& app::name() const noexcept { return core_->settings->name; }
const std::string& app::version() const noexcept { return core_->settings->version; }

broker& app::add_broker(std::shared_ptr<detail::broker_config> config) {
    auto plan = std::make_shared<detail::broker_plan>();
    plan->link->config = config;
    plan->config = std::move(config);
    plan->settings = core_->settings;
    core_->plans.push_back(plan);
    return core_->brokers.emplace_back(std::move(plan));
}

void app::add_state(detail::state_maker maker) { core_->makers.push_back(std::move(maker)); }

app& app::workers(std::int64_t threads) {
    core_->settings->workers = threads;
    core_->settings->workers_declared = true;
    return *this;
}

app& app::codec(waybill::codec format) {
    core_->settings->format = std::move(format);
    return *this;
}

app& app::retry_count_header(std::string name) {
    const bool own = known_header_named(name) == known_header::retry_count;
    core_->settings->count_header = own ? std::string{} : std::move(name);
    return *this;
}

app& app::stop_limit(std::chrono::nanoseconds limit) {
    core_->settings->stop_limit = limit;
    return *this;
}

app& app::require_durable_delays() {
    core_->settings->requires_durable_delays = true;
    return *this;
}

app& app::time(std::shared_ptr<clock> source) {
    core_->settings->time = std::move(source);
    return *this;
}

app& app::log_level(waybill::log_level lowest) {
    core_->settings->log.level = lowest;
    return *this;
}

app& app::log_format(waybill::log_format format) {
    core_->settings->log.format = format;
    return *this;
}

app& app::log_to(std::function<void(std::string_view)> sink) {
    core_->settings->log.sink = std::move(sink);
    return *this;
}

std::vector<error> app::check() const { return wiring::check(*core_); }
std::string app::describe() const { return wiring::describe_text(*core_); }
std::string app::describe_json() const { return wiring::describe_json(*core_); }

std::expected<void, std::vector<error>> app::start() {
    if (core_->running()) {
        return std::unexpected(
            std::vector{error{errc::stopped, "app " + name(), "an app starts once",
                              "make a new app to start again"}});
    }
    const auto made = wiring::runtime::make(*core_, wiring::run_mode::threads, nullptr);
    core_->run_on(made);
    return made->start();
}

bool app::stop() {
    const auto running = core_->running();
    return running ? running->stop(core_->settings->stop_limit) : true;
}

int app::run() {
    wiring::signal_wait signals;
    if (const auto started = start(); !started) {
        return wiring::report(started.error());
    }
    const auto running = core_->running();
    running->wait_for_stop(signals);
    return running->stop_unless_hurried(signals, core_->settings->stop_limit) ? 0 : 1;
}

void app::request_stop() noexcept { core_->stop_requested->happen(); }

health app::health() const {
    const auto running = core_->running();
    return running ? running->health() : waybill::health{};
}

}  // namespace waybill
