/// What the test kit and the scenario runner see of a running app. Production has none.
#pragma once

#include <waybill/delivery.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/outcome.hpp>

#include <cstdint>
#include <string_view>

namespace waybill::settle {

/// Why the runtime published something.
enum class publish_reason : std::uint8_t {
    outside,
    staged,
    retry,
    dead_letter,
    hop,  ///< the next stretch of one wait
};

/// As the histories of tests and the traces of scenarios call it.
[[nodiscard]] constexpr const char* name_of(detail::settle_kind kind) noexcept {
    switch (kind) {
        case detail::settle_kind::accept:
            return "accepted";
        case detail::settle_kind::requeue:
            return "requeued";
        case detail::settle_kind::release:
            return "released";
        case detail::settle_kind::reject:
            return "rejected";
        case detail::settle_kind::leave:
            return "left";
        case detail::settle_kind::nothing:
            return "stale";
    }
    return "?";
}

class probe {
public:
    /// The handler is about to run.
    virtual void delivered(std::string_view subscription, const delivery& message) = 0;
    /// What the handler, or the policy that stands in for it, answered. `error` is empty unless
    /// it threw or the payload could not be decoded. The delivery is the one that was delivered,
    /// which its payload's place tells from others in hand.
    virtual void answered(std::string_view subscription, const delivery& message, outcome answer,
                          std::string_view error) = 0;
    /// The check on receipt ended the message; its handler does not run.
    virtual void exceeded(std::string_view subscription, const delivery& message) = 0;
    /// The next publish is for this delivery: its copy, its dead letter or what was staged with it.
    virtual void sending(publish_reason /*why*/, const delivery& /*of*/) {}
    /// This copy of the delivery is put into the process's own store, until its time comes.
    virtual void keeping(const delivery& /*of*/, const outgoing_view& /*copy*/) {}
    virtual void published(publish_reason why, const outgoing_view& message,
                           detail::publish_status status) = 0;
    virtual void settled(std::string_view subscription, std::uint32_t attempt,
                         detail::settle_kind kind) = 0;

protected:
    ~probe() = default;
};

}  // namespace waybill::settle
