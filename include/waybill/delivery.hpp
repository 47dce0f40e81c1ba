/// One message in the hand of one subscription: what a handler can look at.
///
/// Guarantee: a borrowed view. Payload, headers and address stay valid and unchanged until the
/// handler returns (with a `settlement`, until that is settled). Read on the lane's thread only.
#pragma once

#include <waybill/headers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace waybill {

class delivery {
public:
    delivery() noexcept = default;
    /// Views what the caller owns and keeps.
    delivery(std::string_view address, std::span<const std::byte> payload,
             std::span<const std::byte> packed_headers, std::uint32_t attempt,
             bool redelivered) noexcept {
        look_at(address, payload, packed_headers, attempt, redelivered);
    }

    /// Views another message from now on.
    void look_at(std::string_view address, std::span<const std::byte> payload,
                 std::span<const std::byte> packed_headers, std::uint32_t attempt,
                 bool redelivered) noexcept {
        address_ = address;
        payload_ = payload;
        headers_.look_at(packed_headers);
        attempt_ = attempt;
        redelivered_ = redelivered;
    }

    /// The payload as it arrived. 64 further bytes may be read behind its end; their content is
    /// not specified.
    [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }
    /// The headers as they arrived, the runtime's own included.
    [[nodiscard]] const waybill::headers& headers() const noexcept { return headers_; }
    /// Where the message was sent; not the pattern that the subscription reads.
    [[nodiscard]] std::string_view address() const noexcept { return address_; }
    /// The number of this delivery; the first is 1.
    [[nodiscard]] std::uint32_t attempt() const noexcept { return attempt_; }
    /// The broker says that it may have handed this message out before.
    [[nodiscard]] bool redelivered() const noexcept { return redelivered_; }

private:
    std::string_view address_;
    std::span<const std::byte> payload_;
    waybill::headers headers_;
    std::uint32_t attempt_ = 1;
    bool redelivered_ = false;
};

}  // namespace waybill
