/// A memory server whose client is killed right after a publish was confirmed, before anything is
/// settled.
#pragma once

#include <waybill/memory.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace pictures {

/// Publishes, and lets the server do what it does when its client's process is gone.
class dying_transport final : public waybill::detail::transport {
public:
    dying_transport(std::unique_ptr<waybill::detail::transport> inner, std::function<void()> die)
        : inner_{std::move(inner)}, die_{std::move(die)} {}

    std::expected<std::unique_ptr<waybill::detail::consumer>, waybill::error> consume(
        const waybill::source& from, std::string_view reader,
        waybill::detail::consumer_listener& listener) override {
        return inner_->consume(from, reader, listener);
    }
    std::expected<void, waybill::error> declare(std::string_view address,
                                                const waybill::source& like) override {
        return inner_->declare(address, like);
    }
    waybill::detail::publish_status publish(const waybill::outgoing_view& message,
                                            waybill::detail::publish_ticket* ticket) override {
        const auto status = inner_->publish(message, ticket);
        if (const auto die = std::exchange(die_, nullptr)) die();
        return status;
    }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const override {
        return inner_->next_due();
    }
    std::size_t tick(std::chrono::nanoseconds now, std::size_t limit) override {
        return inner_->tick(now, limit);
    }
    void close() noexcept override { inner_->close(); }

private:
    std::unique_ptr<waybill::detail::transport> inner_;
    std::function<void()> die_;
};

/// What `app.broker(...)` takes: the server `at`, where `die` is called after the first publish.
class dying_broker final : public waybill::detail::broker_config {
public:
    dying_broker(const waybill::memory::server& at, std::function<void()> die)
        : at_{at}, die_{std::move(die)} {}

    [[nodiscard]] std::string_view transport_name() const noexcept override {
        return at_.transport_name();
    }
    [[nodiscard]] std::string describe() const override { return at_.describe(); }
    [[nodiscard]] waybill::detail::capabilities capabilities_of(
        const waybill::source& from) const override {
        return at_.capabilities_of(from);
    }
    [[nodiscard]] std::optional<waybill::error> check_address(
        std::string_view address) const override {
        return at_.check_address(address);
    }
    [[nodiscard]] std::optional<waybill::error> check_source(
        const waybill::source& from) const override {
        return at_.check_source(from);
    }
    [[nodiscard]] bool reads(const waybill::source& from, std::string_view address) const override {
        return at_.reads(from, address);
    }
    [[nodiscard]] std::expected<std::unique_ptr<waybill::detail::transport>, waybill::error>
    connect(waybill::detail::transport_host& host) const override {
        auto inner = at_.connect(host);
        if (!inner) return std::unexpected(inner.error());
        return std::make_unique<dying_transport>(std::move(*inner), die_);
    }

private:
    waybill::memory::broker at_;
    std::function<void()> die_;
};

}  // namespace pictures
