/// A publish's ticket that is told why it failed, too: each its own reason.
#pragma once

#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>

#include <memory>
#include <utility>

namespace waybill::wiring {

class WAYBILL_INNER explained_ticket : public detail::publish_ticket {
public:
    /// Before it is told how it ended, or the publish returns that; never where it is confirmed.
    /// Without a `where` it is about the address.
    void explain(error why) { delete std::exchange(why_, new error{std::move(why)}); }
    /// Null: it has none of its own. Once it has ended. Whoever was not told of a confirmation must
    /// take it.
    [[nodiscard]] std::unique_ptr<error> take_why() noexcept {
        return std::unique_ptr<error>{std::exchange(why_, nullptr)};
    }

protected:
    ~explained_ticket() = default;

private:
    // Not an owner by itself: with a destructor a publish that is confirmed at once would cost 4 %
    // more, and it never has a reason.
    error* why_ = nullptr;
};

}  // namespace waybill::wiring
