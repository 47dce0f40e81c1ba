/// A publish's ticket for a thread that has nothing else to do than to wait for it.
#pragma once

#include "wiring/explained_ticket.hpp"
#include <waybill/detail/transport.hpp>

#include <atomic>

namespace waybill::wiring {

/// Lets the calling thread wait for a confirmation.
class waiting_ticket final : public explained_ticket {
public:
    [[nodiscard]] bool blocks() const noexcept override { return true; }
    void published(detail::publish_status status) noexcept override {
        status_.store(status, std::memory_order_release);
        status_.notify_one();
    }
    detail::publish_status wait() const noexcept {
        status_.wait(detail::publish_status::pending, std::memory_order_acquire);
        return status_.load(std::memory_order_acquire);
    }

private:
    std::atomic<detail::publish_status> status_{detail::publish_status::pending};
};

}  // namespace waybill::wiring
