/// A message on its way to a broker, owned by whoever builds it.
#pragma once

#include <waybill/headers.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

class outgoing {
public:
    outgoing() = default;
    /// Copies the payload.
    outgoing(std::string address, std::span<const std::byte> payload)
        : address_{std::move(address)}, payload_{payload.begin(), payload.end()} {}

    /// Where it goes.
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /// Good until the payload is set anew.
    [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }
    /// Its headers, which may be changed. @{
    [[nodiscard]] const waybill::headers& headers() const noexcept { return headers_; }
    [[nodiscard]] waybill::headers& headers() noexcept { return headers_; }
    /// @}

    /// How long it may wait to be handed out, from when the broker takes it; what is older is never
    /// handed out. 0, and what is below: for ever.
    void set_time_to_live(std::chrono::nanoseconds span) noexcept { time_to_live_ = span; }
    /// What was set; 0: for ever.
    [[nodiscard]] std::chrono::nanoseconds time_to_live() const noexcept { return time_to_live_; }

    /// Copies the payload; must not be a part of what it has.
    void set_payload(std::span<const std::byte> payload) {
        payload_.assign(payload.begin(), payload.end());
    }

private:
    std::string address_;
    std::vector<std::byte> payload_;
    waybill::headers headers_;
    std::chrono::nanoseconds time_to_live_{0};
};

/// The same, borrowed: what a transport is given to publish. Nothing it views may be kept after
/// the call unless the transport answers `pending`; then it stays valid until the ticket is done.
struct outgoing_view {
    std::string_view address;                   ///< where it goes
    std::span<const std::byte> payload;         ///< 64 further bytes need not be readable
    std::span<const std::byte> packed_headers;  ///< as `headers::packed` gives them
    std::chrono::nanoseconds delay{0};          ///< only where the transport delays copies
    std::chrono::nanoseconds time_to_live{0};   ///< by the broker's own means; 0: for ever
};

}  // namespace waybill
