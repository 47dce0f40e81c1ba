#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include "wiring/waiting_ticket.hpp"
#include <waybill/publisher.hpp>

#include <atomic>
#include <cstddef>

namespace waybill {

using detail::publish_status;
using wiring::waiting_ticket;

namespace {

error reason_for(const detail::broker_link& link, std::string_view address, publish_status status) {
    const std::string where{address};
    switch (status) {
        case publish_status::unroutable:
            return {errc::unroutable, where, "no queue or subscriber took the message",
                    "declare one, or subscribe first"};
        case publish_status::refused:
            if (auto problem = link.config->check_address(address)) {
                return {errc::argument, where, problem->what, problem->fix};
            }
            return {errc::refused, where, "the broker will never take this message",
                    "look at its size, and at the rights of the user"};
        case publish_status::lost:
            return {errc::connection, where, "the connection fell before the confirmation",
                    "publish again; it may arrive twice"};
        default:
            return {errc::publish, where, "the broker did not take the message", "publish again"};
    }
}

outgoing_view view_of(const outgoing& message) {
    return {message.address(),
            message.payload(),
            message.headers().packed(),
            {},
            message.time_to_live()};
}

/// The tickets of messages that are published together.
class shared_wait {
public:
    explicit shared_wait(std::size_t count) : left_{count} {}

    void one_came() noexcept {
        if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_all();
    }
    void wait() const noexcept {
        for (auto left = left_.load(std::memory_order_acquire); left != 0;
             left = left_.load(std::memory_order_acquire)) {
            left_.wait(left, std::memory_order_acquire);
        }
    }

private:
    std::atomic<std::size_t> left_;
};

class one_of_many final : public wiring::explained_ticket {
public:
    [[nodiscard]] bool blocks() const noexcept override { return true; }
    void published(publish_status status) noexcept override {
        status_ = status;
        all->one_came();
    }
    [[nodiscard]] publish_status status() const noexcept { return status_; }

    shared_wait* all = nullptr;

private:
    publish_status status_ = publish_status::pending;
};

std::expected<void, error> answer_for(const detail::broker_link& link, const detail::transport& to,
                                      std::string_view address, publish_status status,
                                      wiring::explained_ticket& ticket) {
    if (const auto own = ticket.take_why()) {
        if (own->where.empty()) own->where = address;
        return std::unexpected(std::move(*own));
    }
    if (status == publish_status::confirmed) return {};
    if (auto known = to.explain(address, status)) return std::unexpected(std::move(*known));
    return std::unexpected(reason_for(link, address, status));
}

/// Everything but a confirmation that came at once; apart, so that the usual path stays short.
[[gnu::noinline, gnu::cold]] std::expected<void, error> settle_later(
    const detail::broker_link& link, const detail::transport& to, std::string_view address,
    waiting_ticket& ticket, publish_status status) {
    if (status == publish_status::pending) status = ticket.wait();
    return answer_for(link, to, address, status, ticket);
}

[[gnu::noinline, gnu::cold]] std::expected<void, error> not_running(std::string_view address) {
    return std::unexpected(error{errc::stopped, std::string{address}, "the app is not running",
                                 "publish between its start and its stop"});
}

}  // namespace

std::vector<std::expected<void, error>> publisher::publish_all(
    std::span<const outgoing> messages) const {
    std::vector<std::expected<void, error>> answers;
    answers.reserve(messages.size());
    auto* to = link_->get();
    if (to == nullptr) {
        for (const auto& each : messages) answers.push_back(not_running(each.address()));
        return answers;
    }
    shared_wait wait{messages.size()};
    std::vector<one_of_many> tickets(messages.size());
    for (std::size_t at = 0; at < messages.size(); ++at) {
        tickets[at].all = &wait;
        const auto status = to->publish(view_of(messages[at]), &tickets[at]);
        if (status != publish_status::pending) tickets[at].published(status);
    }
    wait.wait();
    for (std::size_t at = 0; at < messages.size(); ++at) {
        answers.push_back(
            answer_for(*link_, *to, messages[at].address(), tickets[at].status(), tickets[at]));
    }
    return answers;
}

publisher::publisher(std::shared_ptr<detail::broker_link> link, codec format) noexcept
    : link_{std::move(link)}, format_{std::move(format)} {}

publisher publisher::with_codec(codec format) const { return {link_, std::move(format)}; }

std::expected<void, error> publisher::publish(std::string_view address,
                                              std::span<const std::byte> payload,
                                              const headers& with) const {
    auto* to = link_->get();
    if (to == nullptr) [[unlikely]]
        return not_running(address);
    waiting_ticket ticket;
    const auto status = to->publish({address, payload, with.packed()}, &ticket);
    if (status == publish_status::confirmed) [[likely]]
        return {};
    return settle_later(*link_, *to, address, ticket, status);
}

std::expected<void, error> publisher::publish(const outgoing& message) const {
    auto* to = link_->get();
    if (to == nullptr) return not_running(message.address());
    waiting_ticket ticket;
    const auto status = to->publish(view_of(message), &ticket);
    return settle_later(*link_, *to, message.address(), ticket, status);
}

std::expected<outgoing, error> publisher::message_of(std::string_view address,
                                                     const value_type& type,
                                                     const void* value) const {
    byte_buffer bytes;
    if (auto written = format_->encode(type, value, bytes); !written) {
        return std::unexpected(std::move(written.error()));
    }
    return outgoing{std::string{address}, bytes.bytes()};
}

std::expected<void, error> publisher::publish_value(std::string_view address,
                                                    const value_type& type, const void* value,
                                                    const headers& with) const {
    thread_local byte_buffer bytes;
    bytes.clear();
    if (auto written = format_->encode(type, value, bytes); !written) return written;
    return publish(address, bytes.bytes(), with);
}

}  // namespace waybill
