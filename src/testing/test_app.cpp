#include "testing/recorder.hpp"
#include "time/saturating.hpp"
#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/testing.hpp>

#include <algorithm>

namespace waybill {

using std::chrono::nanoseconds;

struct test_app::impl {
    explicit impl(app wired) : service{std::move(wired)} {}

    app service;
    std::shared_ptr<manual_clock> time = std::make_shared<manual_clock>();
    std::vector<detail::given_state> given;
    std::unique_ptr<testing::recorder> seen;
    std::shared_ptr<wiring::runtime> running;
    std::vector<detail::resolved_subscription> resolved;
    nanoseconds began{0};
    std::size_t reaction_limit = 10'000;
    bool reacting = false;

    void come_to_rest();
    void refuse_in_handler(const char* what) const;
    void give_states();
    [[nodiscard]] std::size_t broker_of(std::string_view address) const;
    [[nodiscard]] codec format_of(std::string_view address) const;
    void publish(std::string_view address, std::span<const std::byte> payload, const headers& with);
    template <class Wanted>
    [[nodiscard]] test_list<test_call> calls_where(const std::string& what, Wanted wanted) const;
};

// ---- start and stop ----------------------------------------------------------------------------

test_app::test_app(prepared, app wired) : impl_{std::make_unique<impl>(std::move(wired))} {}

test_app::~test_app() {
    if (impl_->running) impl_->running->stop(nanoseconds{0});
}

void test_app::use(detail::given_state state) { impl_->given.push_back(std::move(state)); }
void test_app::use(detail::given_clock time) { impl_->time = std::move(time.time); }

void test_app::impl::give_states() {
    auto& core = *service.core();
    core.given_states.assign(core.makers.size(), nullptr);
    for (auto& each : given) {
        const auto at = std::ranges::find(core.makers, each.type, &detail::state_maker::type);
        if (at == core.makers.end()) {
            throw test_failure(
                "with_state gives a type that no on_startup makes; the types must "
                "be the same: a fake goes in as a shared_ptr to its base");
        }
        core.given_states[static_cast<std::size_t>(at - core.makers.begin())] = each.state;
    }
}

void test_app::start() {
    auto& all = *impl_;
    all.began = all.time->now();
    all.service.time(all.time);
    all.seen = std::make_unique<testing::recorder>(all.time);
    all.give_states();
    auto& settings = *all.service.core()->settings;
    if (!settings.log.sink) {
        settings.log.sink = [](std::string_view) {};
    }
    all.running =
        wiring::runtime::make(*all.service.core(), wiring::run_mode::one_by_one, all.seen.get());
    if (auto started = all.running->start(); !started) {
        std::string problems = "the app does not start:";
        for (const auto& each : started.error()) problems += "\n  " + each.message();
        all.running = nullptr;
        throw test_failure(problems);
    }
    all.resolved = all.service.core()->resolve();
    all.come_to_rest();
}

bool test_app::stop() {
    impl_->refuse_in_handler("stop");
    return impl_->running->stop(nanoseconds{0});
}

// ---- what a test does --------------------------------------------------------------------------

void test_app::impl::come_to_rest() {
    if (reacting) return;  // the reaction that is under way goes on with what was added
    struct guard {
        bool& flag;
        explicit guard(bool& under_way) : flag{under_way} { flag = true; }
        ~guard() { flag = false; }
    } under_way{reacting};
    seen->begin_reaction();
    while (running->run_one()) {
        if (seen->reaction() <= reaction_limit) continue;
        std::string loop;
        for (const auto& [address, count] : seen->reaction_addresses()) {
            if (!loop.empty()) loop += ", ";
            loop += address + " (" + std::to_string(count) + ")";
        }
        throw test_failure("the reaction did not come to rest after " +
                           std::to_string(reaction_limit) +
                           " deliveries. They went round: " + loop +
                           ". Declare max_attempts, or let the handlers not feed each "
                           "other.\n" +
                           seen->history());
    }
}

void test_app::impl::refuse_in_handler(const char* what) const {
    if (!reacting) return;
    throw std::logic_error("waybill: " + std::string{what} +
                           " is for the test, not for a handler: time stands still while a "
                           "handler runs");
}

void test_app::rest() { impl_->come_to_rest(); }

void test_app::advance(nanoseconds duration) {
    auto& all = *impl_;
    all.refuse_in_handler("advance");
    all.come_to_rest();  // what a server got from outside since the last call happens first
    const auto end = saturating_add(all.time->now(), std::max(duration, nanoseconds{0}));
    while (true) {
        const auto due = all.running->next_due();
        if (!due || *due > end) break;
        all.time->advance_to(*due);
        all.running->tick(all.time->now(), 1);
        all.come_to_rest();
    }
    all.time->advance_to(end);
}

std::size_t test_app::impl::broker_of(std::string_view address) const {
    for (const auto& each : resolved) {
        const auto& config = *service.core()->plans[each.broker]->config;
        if (config.reads(each.plan->declared.from, address)) return each.broker;
    }
    return 0;
}

codec test_app::impl::format_of(std::string_view address) const {
    for (const auto& each : resolved) {
        const auto& config = *service.core()->plans[each.broker]->config;
        if (config.reads(each.plan->declared.from, address)) return each.format;
    }
    return service.core()->settings->format;
}

void test_app::impl::publish(std::string_view address, std::span<const std::byte> payload,
                             const headers& with) {
    const auto& plans = service.core()->plans;
    if (plans.empty()) throw test_failure("the app has no broker to publish to");
    const publisher to{plans[broker_of(address)]->link, service.core()->settings->format};
    if (auto sent = to.publish(address, payload, with); !sent) {
        throw test_failure(sent.error().message());
    }
    come_to_rest();
}

void test_app::publish_raw(std::string_view address, std::span<const std::byte> payload,
                           const headers& with) {
    impl_->publish(address, payload, with);
}

void test_app::publish_raw(std::string_view address, std::string_view payload,
                           const headers& with) {
    impl_->publish(address, std::as_bytes(std::span{payload}), with);
}

void test_app::publish_value(std::string_view address, const value_type& type, const void* value,
                             const headers& with) {
    byte_buffer bytes;
    if (auto written = impl_->format_of(address)->encode(type, value, bytes); !written) {
        throw test_failure(written.error().message());
    }
    impl_->publish(address, bytes.bytes(), with);
}

void test_app::reaction_limit(std::size_t deliveries) { impl_->reaction_limit = deliveries; }

// ---- what a test looks at ----------------------------------------------------------------------

template <class Wanted>
test_list<test_call> test_app::impl::calls_where(const std::string& what, Wanted wanted) const {
    std::vector<std::string> names;
    for (const auto& each : resolved) {
        if (wanted(each)) names.push_back(each.name);
    }
    if (names.empty()) {
        std::string known;
        for (const auto& each : resolved) known += (known.empty() ? "" : ", ") + each.name;
        throw test_failure("no subscription has " + what +
                           (known.empty() ? "; there is none" : "; there are: " + known));
    }
    std::vector<test_call> found;
    for (const auto& call : seen->calls()) {
        if (std::ranges::find(names, call.subscription) != names.end()) found.push_back(call);
    }
    return {std::move(found), seen->history()};
}

test_list<test_call> test_app::calls(std::string_view subscription) const {
    return impl_->calls_where("the name " + std::string{subscription},
                              [&](const auto& each) { return each.name == subscription; });
}

test_list<test_call> test_app::calls_of(const void* function) const {
    return impl_->calls_where(
        "this handler", [&](const auto& each) { return each.plan->handler.identity == function; });
}

test_list<test_call> test_app::calls_of(std::type_index type) const {
    return impl_->calls_where("this handler",
                              [&](const auto& each) { return each.plan->handler.type == type; });
}

test_list<outcome> test_app::outcomes(std::string_view subscription) const {
    return outcomes_in(calls(subscription));
}

test_list<outcome> test_app::outcomes_in(const test_list<test_call>& calls) const {
    std::vector<outcome> answers;
    for (const auto& call : calls) {
        if (call.answered) answers.push_back(call.answer);
    }
    return {std::move(answers), impl_->seen->history()};
}

test_list<test_message> test_app::published(std::string_view address) const {
    std::vector<test_message> found;
    for (const auto& message : impl_->seen->messages()) {
        if (message.address == address) found.push_back(message);
    }
    return {std::move(found), impl_->seen->history()};
}

nanoseconds test_app::now() const { return impl_->time->now() - impl_->began; }
const std::shared_ptr<manual_clock>& test_app::time() const noexcept { return impl_->time; }
health test_app::health() const { return impl_->running->health(); }
std::string test_app::history() const { return impl_->seen->history(); }

}  // namespace waybill
