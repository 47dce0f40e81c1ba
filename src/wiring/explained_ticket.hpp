/// A publish's ticket that is told why it failed, too: each its own reason.
#pragma once

#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>

#include <optional>
#include <utility>

namespace waybill::wiring {

class explained_ticket : public detail::publish_ticket {
public:
    /// Before it is told how it ended, or the publish returns that. Without a `where` it is about
    /// the address.
    void explain(error why) { why_ = std::move(why); }
    /// Good once it has ended.
    [[nodiscard]] const std::optional<error>& why() const noexcept { return why_; }

protected:
    ~explained_ticket() = default;

private:
    std::optional<error> why_;
};

}  // namespace waybill::wiring
