#include "wiring/app_core.hpp"
#include "wiring/runtime.hpp"
#include <waybill/publisher.hpp>

#include <atomic>

namespace waybill {

using detail::publish_status;

namespace {

/// Lets the calling thread wait for a confirmation.
class waiting_ticket final : public detail::publish_ticket {
public:
    void published(publish_status status) noexcept override {
        status_.store(status, std::memory_order_release);
        status_.notify_one();
    }
    publish_status wait() const noexcept {
        status_.wait(publish_status::pending, std::memory_order_acquire);
        return status_.load(std::memory_order_acquire);
    }

private:
    std::atomic<publish_status> status_{publish_status::pending};
};

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

/// Everything but a confirmation that came at once; apart, so that the usual path stays short.
[[gnu::noinline, gnu::cold]] std::expected<void, error> settle_later(
    const detail::broker_link& link, std::string_view address, waiting_ticket& ticket,
    publish_status status) {
    if (status == publish_status::pending) status = ticket.wait();
    if (status == publish_status::confirmed) return {};
    return std::unexpected(reason_for(link, address, status));
}

[[gnu::noinline, gnu::cold]] std::expected<void, error> not_running(std::string_view address) {
    return std::unexpected(error{errc::stopped, std::string{address}, "the app is not running",
                                 "publish between its start and its stop"});
}

}  // namespace

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
    return settle_later(*link_, address, ticket, status);
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
