#include <waybill/router.hpp>
#include <waybill/subscription.hpp>

namespace waybill {

subscription& subscription::name(std::string name) {
    plan_->declared.name = std::move(name);
    return *this;
}
subscription& subscription::describe(std::string description) {
    plan_->declared.description = std::move(description);
    return *this;
}
subscription& subscription::max_attempts(std::int64_t count) {
    plan_->declared.max_attempts = count;
    return *this;
}
subscription& subscription::dead_letter(std::string address) {
    plan_->declared.dead_letter = std::move(address);
    return *this;
}
subscription& subscription::drop_when_spent() {
    plan_->declared.drop_when_spent = true;
    return *this;
}
subscription& subscription::retry_backoff(backoff delays) {
    plan_->declared.retry_delay = std::move(delays);
    return *this;
}
subscription& subscription::retry_to(std::string address) {
    plan_->declared.retry_to = std::move(address);
    plan_->declared.retry_to_delivery = false;
    return *this;
}
subscription& subscription::retry_to(delivery_address_t /*where*/) {
    plan_->declared.retry_to.reset();
    plan_->declared.retry_to_delivery = true;
    return *this;
}
subscription& subscription::on_retry_copy(std::function<void(outgoing&, const delivery&)> change) {
    plan_->on_retry_copy = std::move(change);
    return *this;
}
subscription& subscription::on_exception(failure_policy policy) {
    plan_->declared.on_exception = policy;
    return *this;
}
subscription& subscription::on_undecodable(failure_policy policy) {
    plan_->declared.on_undecodable = policy;
    return *this;
}
subscription& subscription::drop_to_broker() {
    plan_->declared.drop_to_broker = true;
    return *this;
}
subscription& subscription::codec(waybill::codec format) {
    plan_->format = std::move(format);
    return *this;
}
subscription& subscription::reply_to(std::string address) {
    plan_->declared.reply_to = std::move(address);
    return *this;
}
subscription& subscription::concurrency(std::int64_t lanes) {
    plan_->declared.concurrency = lanes;
    return *this;
}
subscription& subscription::inline_handler() {
    plan_->declared.runs_inline = true;
    return *this;
}
subscription& subscription::formerly(std::string reader) {
    plan_->declared.formerly.push_back(std::move(reader));
    return *this;
}
subscription& subscription::skip_foreign_copies() {
    plan_->declared.skip_foreign_copies = true;
    return *this;
}
subscription& subscription::max_redeliveries(std::int64_t count) {
    plan_->declared.max_redeliveries = count;
    return *this;
}
subscription& subscription::dead_letter_budget(std::int64_t bytes) {
    plan_->declared.record_budget = bytes;
    return *this;
}

router& router::codec(waybill::codec format) {
    format_ = std::move(format);
    return *this;
}

router& router::mount(router nested) {
    nested_.push_back(std::move(nested));
    return *this;
}

subscription& router::add(source from, detail::handler handler) {
    auto plan = std::make_shared<detail::subscription_plan>();
    plan->declared.from = std::move(from);
    if (const auto& details = plan->declared.from.details) details->declare(plan->declared);
    plan->handler = std::move(handler);
    plans_.push_back(plan);
    return handles_.emplace_back(std::move(plan));
}

std::vector<std::shared_ptr<detail::subscription_plan>> router::plans() const {
    auto all = plans_;
    for (const auto& each : nested_) {
        for (auto& plan : each.plans()) all.push_back(std::move(plan));
    }
    if (format_) {
        for (const auto& plan : all) {
            if (!plan->format) plan->format = format_;
        }
    }
    return all;
}

}  // namespace waybill
