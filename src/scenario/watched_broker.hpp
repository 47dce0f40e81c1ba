/// A broker between the service and its server, of any transport, where an observer stands.
///
/// What a dead process does ends here, and so does everything while the server cannot be reached.
#pragma once

#include "scenario/observer.hpp"
#include <waybill/detail/transport.hpp>

#include <memory>
#include <utility>

namespace waybill::scenario {

class watched_broker final : public detail::broker_config {
public:
    /// `by` outlives every app that uses this.
    watched_broker(std::shared_ptr<const detail::broker_config> behind, observer& by)
        : behind_{std::move(behind)}, by_{&by} {}

    [[nodiscard]] std::string_view transport_name() const noexcept override {
        return behind_->transport_name();
    }
    [[nodiscard]] std::string describe() const override { return behind_->describe(); }
    [[nodiscard]] std::vector<error> problems() const override { return behind_->problems(); }
    [[nodiscard]] detail::capabilities capabilities_of(const source& from) const override {
        return behind_->capabilities_of(from);
    }
    [[nodiscard]] std::optional<error> check_address(std::string_view address) const override {
        return behind_->check_address(address);
    }
    [[nodiscard]] std::optional<error> check_source(const source& from) const override {
        return behind_->check_source(from);
    }
    [[nodiscard]] bool reads(const source& from, std::string_view address) const override {
        return behind_->reads(from, address);
    }
    [[nodiscard]] std::expected<std::unique_ptr<detail::transport>, error> connect(
        detail::transport_host& host) const override;

private:
    std::shared_ptr<const detail::broker_config> behind_;
    observer* by_;
};

}  // namespace waybill::scenario
